import { describe, expect, test } from 'vitest'
import { createMailShares } from '../../../src/services/mail/mail-shares.ts'
import type { OpenCounter } from '../../../src/sign-in-limits/memory-counters.ts'

type Mail = readonly [entryPoint: string, isListed: boolean]

const OPEN: Mail = ['open', false]
const LISTED: Mail = ['open', true]
const OTHER: Mail = ['other', false]

/** Takes mails, one after another. @returns true for each that may be sent. */
async function takeAll(shares: Pick<ReturnType<typeof createMailShares>, 'take'>, mails: readonly Mail[]) {
  const taken: boolean[] = []
  for (const mail of mails) taken.push((await shares.take(...mail)) !== null)
  return taken
}

const times = (count: number, mail: Mail) => Array.from({ length: count }, () => mail)
const countOf = (taken: readonly boolean[]) => taken.filter((one) => one).length

/**
 * The promise of shares in every store of counts.
 * @param open opens counters of one new store. Called twice for two copies of the app.
 */
export function mailSharesContract(name: string, open: () => Promise<() => Promise<OpenCounter>>): void {
  describe(`shares of mails contract: ${name}`, () => {
    const openShares = async (mailsPerHour: number, entryPoints: number) => {
      const openCopy = await open()
      return async () => createMailShares(await openCopy(), 'test-mails', mailsPerHour, () => entryPoints)
    }

    test.each([
      // 40 mails an hour, two entry points: 10 of each, 10 in common, 10 in reserve.
      ['made-up addresses at an open entry point get half', 2, times(40, OPEN), 20],
      ['made-up addresses at the only entry point get three quarters', 1, times(60, OPEN), 30],
      ['listed addresses at one of two entry points leave the share of the other', 2, times(60, LISTED), 30],
      ['listed addresses at the only entry point get all', 1, times(60, LISTED), 40],
      ['two open entry points together leave the reserve', 2, [...times(40, OPEN), ...times(40, OTHER)], 30],
    ] as const)('%s', async (_what, entryPoints, mails, expected) => {
      const copy = await openShares(40, entryPoints)
      expect(countOf(await takeAll(await copy(), mails))).toBe(expected)
    })

    test('after 40 made-up addresses at an open entry point, guests elsewhere and listed guests get their mails', async () => {
      const copy = await openShares(40, 2)
      const one = await copy()
      const two = await copy()
      const madeUp = await takeAll(one, times(40, OPEN))
      expect([countOf(madeUp), await two.isUsedUp('open'), await two.isUsedUp('other')]).toEqual([20, true, false])
      expect(countOf(await takeAll(two, times(20, OTHER)))).toBe(10)
      expect(countOf(await takeAll(two, times(20, LISTED)))).toBe(10)
    })

    test('two copies at the same moment send no more mails than one', async () => {
      const copy = await openShares(40, 1)
      const copies = [await copy(), await copy()]
      const all = await Promise.all(times(80, LISTED).map((mail, at) => copies[at % 2]?.take(...mail)))
      const taken = all.filter((one) => one)
      expect(taken.length).toBeLessThanOrEqual(40)
      // A mail that another one made wait for a moment is tried again.
      const [again = expect.unreachable()] = copies
      expect(taken.length + countOf(await takeAll(again, times(40, LISTED)))).toBe(40)
    })

    test('a mail that was not sent counts no longer, in the part from which it was taken', async () => {
      const copy = await openShares(4, 1)
      const shares = await copy()
      const taken = []
      for (const mail of times(4, LISTED)) taken.push(await shares.take(...mail))
      expect([await shares.take(...LISTED), await shares.isUsedUp('open')]).toEqual([null, true])
      await taken[3]?.()
      expect([await shares.isUsedUp('open'), await shares.take(...OPEN)]).toEqual([true, null])
      await taken[0]?.()
      expect(await shares.isUsedUp('open')).toBe(false)
      expect(await shares.take(...OPEN)).not.toBeNull()
    })
  })
}
