import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import type { GuestStore } from '../../../src/services/guests/guest-records.ts'
import { createCodeLimits } from '../../../src/services/mail-code/code-limits.ts'
import { createMailCodes, RESEND_SECONDS } from '../../../src/services/mail-code/mail-codes.ts'
import { createOutbox, type Delivery } from '../../../src/services/mail-code/outbox.ts'
import type { OutboxMail } from '../../../src/services/mail-code/outbox-records.ts'
import { createSeal } from '../../../src/services/pass/seal.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { DEFAULT_ADDRESS_LIMIT } from '../../../src/sign-in-limits/settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import type { Opened } from '../guests/records-contract.ts'

export const ADDRESS = 'guest@example.com'
export type Records = GuestStore
export const SECRETS = ['SESSIONSECRETMARKER-8d2b']

/** Holds the first two reads of a frame back until both are done, as over a network: then both requests decide. */
function bothRead() {
  const { promise: bothHaveRead, resolve } = Promise.withResolvers<void>()
  let reads = 0
  return (records: Records): Records => ({
    ...records,
    async read(kind, key) {
      const found = await records.read(kind, key)
      if (kind !== 'mail-code') return found
      reads += 1
      if (reads === 2) resolve()
      await bothHaveRead
      return found
    },
  })
}

/** Notes the outcome of each write of a frame. */
function onWrite(records: Records, outcomes: (number | null)[]): Records {
  return {
    ...records,
    async write(writes) {
      const version = await records.write(writes)
      if (writes.some(({ kind }) => kind === 'mail-code')) outcomes.push(version)
      return version
    },
  }
}

export function startCodes({
  secrets = SECRETS,
  file = join(temporaryFolder(), 'guests.db'),
  scope = 'one default',
  open = (nowSeconds: () => number): Records => openFileRecords(file, { nowSeconds }),
  change = (records: Records): Records => records,
  pollMs = 5,
  seconds = 1_800_000_000,
} = {}) {
  const clock = { seconds }
  const nowSeconds = () => clock.seconds
  const records = change(open(nowSeconds))
  const sent: OutboxMail[] = []
  const seal = createSeal(secrets, 'outbox')
  let answer: Delivery = 'done'
  const deliver = (mail: OutboxMail) => {
    const own = mail.address.startsWith('full-') ? 'retry' : answer
    if (own === 'done') sent.push(mail)
    return Promise.resolve(own)
  }
  const onFault = () => {}
  const outbox = createOutbox({ records, seal, nowMs: () => clock.seconds * 1000, deliver, onFault, pollMs })
  const limits = createCodeLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 100)
  const codes = createMailCodes({ records, outbox, isLate: outbox.isLate, limits, secrets, nowSeconds }, scope)
  onTestFinished(async () => {
    outbox.close()
    await records.close()
  })
  let networks = 0
  function newNetwork(): string {
    networks += 1
    return `198.51.${networks >> 8}.${networks & 255}`
  }
  const ask = (address = ADDRESS, clientAddress = newNetwork()) =>
    codes.ask({ address, clientAddress, language: 'en', device: ['Firefox'], requestId: 'id' })
  const use = (secret: string, code: unknown, address = ADDRESS) =>
    codes.use({ secret, address, code, clientAddress: newNetwork() })
  async function asked() {
    const one = await ask()
    if (!one.ok) return expect.unreachable()
    await expect.poll(() => sent.length, { interval: 2 }).toBeGreaterThan(0)
    return { secret: one.secret, code: sent.at(-1)?.code ?? '' }
  }
  const setAnswer = (next: Delivery) => {
    answer = next
  }
  return { clock, outbox, records, sent, codes, ask, use, asked, setAnswer, file }
}

/** The promise of codes by mail in every guests store, with each race held open. @param open opens a new store. */
export function mailCodesContract(name: string, open: (nowSeconds: () => number) => Promise<Opened>): void {
  describe(`codes by mail contract: ${name}`, () => {
    /** Starts two copies of the app with one store. Both read a frame before one of them writes. */
    async function startCopies() {
      const seconds = { now: 1_800_000_000 }
      const { store, openOther } = await open(() => seconds.now)
      const stores = [store, await openOther()]
      const writes: (number | null)[] = []
      const held = bothRead()
      const first = startCodes({ open: () => store })
      const copies = () =>
        stores.map((one) =>
          startCodes({
            open: () => one,
            change: (records) => onWrite(held(records), writes),
            seconds: first.clock.seconds,
          }),
        )
      return { first, copies, writes, seconds }
    }

    test('the same code twice at the same moment in two copies gets one answer, and is used once', async () => {
      const { first, copies, writes } = await startCopies()
      const { secret, code } = await first.asked()
      const uses = await Promise.all(copies().map((copy) => copy.use(secret, code)))
      expect(uses.map(({ ok }) => ok)).toEqual([true, true])
      expect(writes.filter((version) => version !== null)).toHaveLength(1)
      expect(await first.use(secret, code)).toEqual({ ok: true })
    })

    test('of two codes of a frame at the same moment, one counts', async () => {
      const { first, copies, seconds } = await startCopies()
      const { secret, code } = await first.asked()
      first.clock.seconds += RESEND_SECONDS
      seconds.now += RESEND_SECONDS
      await first.codes.ask({ ...FORM, secret })
      await expect.poll(() => first.sent.length).toBe(2)
      const codes = [code, first.sent[1]?.code]
      const uses = await Promise.all(copies().map((copy, index) => copy.use(secret, codes[index])))
      expect(uses.map(({ ok }) => ok).toSorted()).toEqual([false, true])
    })

    test.each([
      ['of the address', true],
      ['for another code', false],
    ])('the form %s twice at the same moment causes one mail, and its code works', async (_form, isFirst) => {
      const { first, copies } = await startCopies()
      const secret = 'f'.repeat(43)
      const both = copies()
      const answers = await Promise.all(both.map(({ codes }) => codes.ask({ ...FORM, secret, isFirst })))
      expect(answers.map((one) => one.ok && one.secret)).toEqual([secret, secret])
      const sent = () => [first, ...both].flatMap((copy) => copy.sent)
      await expect.poll(() => sent().length).toBe(1)
      expect(await first.use(secret, sent()[0]?.code)).toEqual({ ok: true })
    })

    test('of two addresses in one frame at the same moment, the second must wait', async () => {
      const { copies } = await startCopies()
      const secret = 'f'.repeat(43)
      const asked = copies().map(({ codes }, index) =>
        codes.ask({ ...FORM, secret, address: `guest-${index}@example.com` }),
      )
      const answers = await Promise.all(asked)
      expect(answers.map((one) => (one.ok ? 'ok' : one.limit)).toSorted()).toEqual(['ok', 'resend'])
    })
  })
}

const FORM = { address: ADDRESS, clientAddress: '192.0.2.1', language: 'en', device: [], requestId: 'id' } as const
