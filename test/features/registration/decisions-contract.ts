import { beforeEach, describe, expect, test } from 'vitest'
import type { Opened } from '../../services/guests/records-contract.ts'
import { createParts, START_SECONDS } from './registrations-contract.ts'

/** The promise of decisions of several people. @param open opens a new store, until the test ends. */
export function decisionsContract(name: string, open: (nowSeconds: () => number) => Promise<Opened>): void {
  describe(`decisions contract: ${name}`, () => {
    const clock = { seconds: START_SECONDS }
    let opened: Opened
    const { registrations, mails, registerAll, heldCopies } = createParts(() => opened, clock)

    beforeEach(async () => {
      clock.seconds = START_SECONDS
      opened = await open(() => clock.seconds)
    })

    test.each([
      ['approve', 'refuse'],
      ['refuse', 'cancel'],
      ['cancel', 'approve'],
      ['approve', 'approve'],
    ] as const)('of %s and %s by two people at the same moment, one counts, with one mail', async (...steps) => {
      const [seen] = (await (await registerAll({ approval: 'by-hand' }, ['ada@example.com'])).page({ limit: 1 }))
        .registrations
      const before = await mails()
      clock.seconds += 60
      const copies = (await heldCopies()).map((records) => registrations({ approval: 'by-hand' }, records))
      const results = await Promise.all(
        copies.map((copy, index) => copy[steps[index] ?? 'cancel']('ada@example.com', seen)),
      )
      const won = results.find(({ ok }) => ok)
      const lost = results.find(({ ok }) => !ok)
      const now = await registrations({}).find('ada@example.com')
      expect(won).toEqual({ ok: true, registration: now })
      const isSame = steps[0] === steps[1]
      expect(lost).toEqual(isSame ? { ok: false, reason: 'same' } : { ok: false, reason: 'decided', registration: now })
      expect((await mails()).filter((mail) => !before.includes(mail))).toEqual([`ada@example.com/${now?.state}`])
      const counts = await registrations({}).counts()
      expect([counts.approved + counts.refused + counts.cancelled, counts['waiting-for-approval']]).toEqual([1, 0])
    })

    test('a decision on what a person saw earlier counts only if nobody has decided since', async () => {
      const all = await registerAll({ approval: 'by-hand' }, ['ada@example.com'])
      const seen = (await all.find('ada@example.com')) ?? undefined
      clock.seconds += 1
      await all.refuse('ada@example.com', seen)
      clock.seconds += 1
      expect(await all.approve('ada@example.com', seen)).toMatchObject({
        reason: 'decided',
        registration: { state: 'refused', changedAtSeconds: START_SECONDS + 1 },
      })
      // The state is the one that was seen, but two people have decided since.
      await all.approve('ada@example.com')
      const approved = (await all.find('ada@example.com')) ?? undefined
      clock.seconds += 1
      await all.refuse('ada@example.com')
      clock.seconds += 1
      await all.approve('ada@example.com')
      expect(await all.cancel('ada@example.com', approved)).toMatchObject({ ok: false, reason: 'decided' })
      expect(await all.cancel('ada@example.com')).toMatchObject({ ok: true })
    })
  })
}
