import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newCode, readCode, shownCode, TRIES } from '../../../src/services/mail-code/code.ts'
import { createCodeLimits, MOST_OF_MAILBOX, MOST_OF_PAIR } from '../../../src/services/mail-code/code-limits.ts'
import { createLanes } from '../../../src/services/mail-code/lanes.ts'
import { RESEND_SECONDS } from '../../../src/services/mail-code/mail-codes.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { AddressLimitEnvironment, DEFAULT_ADDRESS_LIMIT } from '../../../src/sign-in-limits/settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

import { ADDRESS, SECRETS, startCodes } from './mail-codes-contract.ts'

/** The chance that all tries at one code hit it. */
const CHANCE_OF_CODE = TRIES / 30 ** 8

test('a code has eight characters without look-alikes, and the published chance', () => {
  const codes = Array.from({ length: 2_000 }, newCode)
  expect(codes.every((code) => /^[2-9A-HJKMNP-TV-Z]{8}$/.test(code))).toBe(true)
  expect(new Set(codes).size).toBe(2_000)
  expect(new Set(codes.join('')).size).toBe(30)
  const readme = readFileSync(new URL('../../../src/features/mail-sign-in/README.md', import.meta.url), 'utf8')
  expect(readme).toContain(`1 in ${(Math.round(1 / CHANCE_OF_CODE / 1e9) * 1e9).toLocaleString('en')}`)
  expect(shownCode('ABCDEFGH')).toBe('ABCD-EFGH')
  expect(readCode('abcd – efgh')).toBe('ABCDEFGH')
})

test.each([
  ['Code: ABCD-EFGH.', 'ABCDEFGH'],
  ['Your code is ABCD-EFGH', 'ABCDEFGH'],
  ['code: abcd efgh', 'ABCDEFGH'],
  ['Your sentence: 2BCD-EFGH, please', '2BCDEFGH'],
  ['\u202aAB\u200bCD-EF\u00adGH\u202c', 'ABCDEFGH'],
  ['ABCD-EFGH or JKMN-PQRS', null],
  ['ABCD-EFGH-JKMN', null],
  ['Nothing here', null],
])('the text %j holds the code %s', (typed, code) => {
  expect(readCode(typed)).toBe(code)
})

test('of 2,000 guesses at once at one code, five are compared', async () => {
  const { asked, use } = startCodes()
  const { secret, code } = await asked()
  const guesses = Array.from({ length: 2_000 }, () => newCode()).filter((guess) => guess !== code)
  const results = await Promise.all(guesses.map((guess) => use(secret, guess)))
  // The fifth wrong code ends it.
  expect(results.filter((one) => !one.ok && 'reason' in one && one.reason === 'wrong')).toHaveLength(TRIES - 1)
  expect(await use(secret, code)).toEqual({ ok: false, reason: 'over' })
})

test('strangers in 300 networks open few codes for one mailbox, so few guesses count', async () => {
  const { ask, sent } = startCodes()
  const answers = await Promise.all(Array.from({ length: 300 }, () => ask()))
  expect(answers.filter(({ ok }) => ok)).toHaveLength(MOST_OF_MAILBOX)
  await expect.poll(() => sent.length).toBe(MOST_OF_MAILBOX)
  // Their chance of this hour.
  expect(MOST_OF_MAILBOX * CHANCE_OF_CODE).toBeLessThan(1e-10)
})

test('one network opens few codes for one mailbox', async () => {
  const { ask } = startCodes()
  const answers = []
  for (let times = 0; times < 12; times += 1) answers.push(await ask(ADDRESS, '192.0.2.1'))
  expect(answers.filter(({ ok }) => ok)).toHaveLength(MOST_OF_PAIR)
})

test('one network opens few codes for one mailbox, whatever is after "+" and wherever dots are', async () => {
  const { ask } = startCodes()
  const spellings = [
    'guest',
    'guest+1',
    'guest+2',
    'g.uest',
    'gu.est+3',
    'guest+4',
    'guest+5+6',
    'g.u.est',
    'guest',
    'guest',
    'guest+7',
    'guest',
  ]
  const answers = []
  for (const local of spellings) answers.push(await ask(`${local}@example.com`, '192.0.2.1'))
  expect(answers.filter(({ ok }) => ok)).toHaveLength(MOST_OF_PAIR)
  expect((await ask('guest2@example.com', '192.0.2.1')).ok).toBe(true)
  expect((await ask('guest@example.org', '192.0.2.1')).ok).toBe(true)
})

test.each([
  ['a kept secret of the session', ['other-secret-other-secret', ...SECRETS], true],
  ['another secret of the session', ['other-secret-other-secret'], false],
])('with %s, a code of before counts: %s', async (_case, secrets, counts) => {
  const { asked, file } = startCodes()
  const { secret, code } = await asked()
  expect((await startCodes({ secrets, file }).use(secret, code)).ok).toBe(counts)
})

test.each(['one other', 'other default'])('a code does not count for %s', async (scope) => {
  const { asked, file } = startCodes()
  const { secret, code } = await asked()
  expect((await startCodes({ scope, file }).use(secret, code)).ok).toBe(false)
})

test('the file has no address, no code and no secret of a frame', async () => {
  const { ask, records, setAnswer } = startCodes()
  setAnswer('retry')
  const one = await ask()
  const all = [
    ...(await records.list('mail-code', { limit: 10 })),
    ...(await records.list('mail-code-frame', { limit: 10 })),
    ...(await records.list('mail-outbox', { limit: 10 })),
  ]
  expect(all).toHaveLength(3)
  expect(JSON.stringify(all)).not.toMatch(/guest|example|Firefox/)
  expect(JSON.stringify(all)).not.toContain(one.ok ? one.secret : '-')
})

test('a step that belongs to the code is written with it, and once', async () => {
  const { asked, codes, records } = startCodes()
  const { secret, code } = await asked()
  const also = [{ kind: 'registration', key: ADDRESS, text: '{}', if: 'absent' as const }]
  const typed = { secret, code, address: ADDRESS, clientAddress: '192.0.2.1' }
  const uses = await Promise.all(Array.from({ length: 5 }, () => codes.use(typed, also)))
  expect(uses.filter(({ ok }) => ok)).toHaveLength(5)
  expect(await records.count('registration')).toBe(1)
})

test('a mail that the server does not take is tried again until its code ends', async () => {
  const { ask, clock, records, sent, setAnswer } = startCodes()
  setAnswer('retry')
  await ask()
  await expect.poll(async () => (await records.list('mail-outbox', { limit: 1 }))[0]?.text).toContain('"tries":1')
  setAnswer('done')
  clock.seconds += 10
  await expect.poll(() => sent.length).toBe(1)
  expect(await records.count('mail-outbox')).toBe(0)
  setAnswer('retry')
  await ask('other@example.com')
  clock.seconds += 600
  expect(await records.count('mail-outbox')).toBe(0)
})

test('mails to mailboxes that take none for hours hold back no other mail, and no screen says that mails are slow', async () => {
  const { ask, clock, outbox, records, sent } = startCodes()
  for (let index = 0; index < 110; index += 1) await ask(`full-${index}@example.com`)
  const tried = async () =>
    (await records.list('mail-outbox', { limit: 1_000 })).map(({ text }) => JSON.parse(text).tries)
  await expect.poll(async () => Math.min(...(await tried())), { timeout: 20_000 }).toBe(1)
  clock.seconds += 61
  await expect.poll(async () => Math.min(...(await tried())), { timeout: 20_000 }).toBe(2)
  await expect.poll(outbox.isLate).toBe(false)
  await ask('guest@example.com')
  await expect.poll(() => sent.map(({ address }) => address)).toEqual(['guest@example.com'])
  expect(await records.count('mail-outbox')).toBe(110)
})

test('a mail that fails after another copy took it is not there twice', async () => {
  let isTaken = false
  const { ask, records, setAnswer } = startCodes({
    change: (opened) => ({
      ...opened,
      async write(writes) {
        const isAnswer = writes.some(({ kind, text }) => kind === 'mail-outbox' && text?.includes('"tries":1'))
        const [mail] = isAnswer && !isTaken ? await opened.list('mail-outbox', { limit: 1 }) : []
        if (mail) {
          const removal = { kind: 'mail-outbox', key: mail.key, text: null }
          await opened.write([removal, { ...mail, kind: 'mail-outbox', key: `${mail.key}-moved` }])
        }
        const version = await opened.write(writes)
        isTaken ||= isAnswer
        return version
      },
    }),
  })
  setAnswer('retry')
  await ask()
  await expect.poll(() => isTaken).toBe(true)
  expect(await records.count('mail-outbox')).toBe(1)
})

test('the work for a mail begins a while after the answer, so that its time does not tell who gets one', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { ask, sent } = startCodes({ pollMs: 1_000 })
  await vi.advanceTimersByTimeAsync(0)
  await ask()
  await vi.advanceTimersByTimeAsync(29)
  expect(sent).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(121)
  expect(sent).toHaveLength(1)
})

test('two copies share the mails, and send each once', async () => {
  const file = join(temporaryFolder(), 'guests.db')
  const one = startCodes({ file })
  const other = startCodes({ file })
  await Promise.all(
    Array.from({ length: 60 }, (_, index) => (index % 2 ? one : other).ask(`guest-${index}@example.com`)),
  )
  const all = () => [...one.sent, ...other.sent].map(({ address }) => address)
  await expect.poll(() => all().length).toBe(60)
  expect(new Set(all()).size).toBe(60)
})

test('a network with many mails does not hold back the others', () => {
  const placeIn = createLanes(() => 1_000_000)
  const stranger = Array.from({ length: 300 }, () => placeIn('stranger'))
  const viewer = placeIn('viewer')
  const second = placeIn('viewer')
  expect(stranger.filter((place) => place < viewer)).toHaveLength(0)
  expect(stranger.filter((place) => place < second)).toHaveLength(1)
  expect(RESEND_SECONDS).toBe(30)
})

const TRUSTED = AddressLimitEnvironment.parse({ LIMITS_TRUSTED_NETWORKS: '198.51.100.0/24' }).trustedNetworks

/** Asks for a code for each of many mailboxes. @returns how many are refused, and the time to wait. */
async function askFrom(network: string, mailboxes: number, failures: number, mailsPerHour: number) {
  const limits = createCodeLimits(openMemoryCounter, { failures, trustedNetworks: TRUSTED }, mailsPerHour)
  const answers = []
  for (let at = 0; at < mailboxes; at += 1) answers.push(await limits.admit(`guest-${at}@example.com`, network))
  const refused = answers.filter((one) => one !== null)
  expect(new Set(refused.map(({ limit }) => limit)).size).toBeLessThanOrEqual(1)
  return { admitted: mailboxes - refused.length, waitMinutes: Math.ceil((refused.at(-1)?.retryAfterSeconds ?? 0) / 60) }
}

test.each([
  ['of a hall', '192.0.2.1', 1_000, 300, 10_000, { admitted: 1_000, waitMinutes: 0 }],
  [
    'that asks for a quarter of the mails of an hour',
    '192.0.2.1',
    2_600,
    300,
    10_000,
    { admitted: 2_500, waitMinutes: 60 },
  ],
  ['with few mails in an hour', '192.0.2.1', 310, 300, 40, { admitted: 300, waitMinutes: 60 }],
  ['in ten minutes', '192.0.2.1', 3_100, 300, 100_000, { admitted: 3_000, waitMinutes: 10 }],
  ['with few allowed failures', '192.0.2.1', 3_100, 10, 100_000, { admitted: 3_000, waitMinutes: 10 }],
  ['with many allowed failures', '192.0.2.1', 3_100, 400, 100_000, { admitted: 3_100, waitMinutes: 0 }],
  ['that is trusted', '198.51.100.7', 3_100, 300, 100, { admitted: 3_100, waitMinutes: 0 }],
] as const)(
  'a network %s: the limit on requests for codes',
  async (_case, network, asks, failures, mails, expected) => {
    expect(await askFrom(network, asks, failures, mails)).toEqual(expected)
  },
)

test('requests of a network that end with a right code count for an hour, and no longer for ten minutes', async () => {
  const limits = createCodeLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 20_000)
  for (let at = 0; at < 3_000; at += 1) await limits.admit(`guest-${at}@example.com`, '192.0.2.1')
  expect(await limits.admit('a@example.com', '192.0.2.1')).toMatchObject({
    limit: 'network',
    retryAfterSeconds: expect.closeTo(570, -2),
  })
  for (let at = 0; at < 3_000; at += 1) await limits.succeeded(`guest-${at}@example.com`, '192.0.2.1')
  for (let at = 0; at < 2_000; at += 1) expect(await limits.admit(`b-${at}@example.com`, '192.0.2.1')).toBeNull()
  expect(await limits.admit('c@example.com', '192.0.2.1')).toMatchObject({
    limit: 'network',
    retryAfterSeconds: expect.closeTo(3_570, -2),
  })
})

test.each([
  ['192.0.2.1', 'network'],
  ['198.51.100.7', null],
])('the network of %s types few wrong codes, unless it is trusted', async (network, fourth) => {
  const limits = createCodeLimits(openMemoryCounter, { failures: 3, trustedNetworks: TRUSTED }, 100)
  const checks = []
  for (let times = 0; times < 4; times += 1) checks.push(await limits.admitCheck(network))
  expect(checks.map((one) => one?.limit ?? null)).toEqual([null, null, null, fourth])
})

test('a mailbox is known after a right code, whatever is after "+", and others are not', async () => {
  const limits = createCodeLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 100)
  expect(await limits.isKnown('guest@example.com')).toBe(false)
  await limits.succeeded('guest@example.com', '192.0.2.1')
  const addresses = ['guest@example.com', 'g.uest+1@example.com', 'other@example.com', 'guest@example.org']
  expect(await Promise.all(addresses.map(limits.isKnown))).toEqual([true, true, false, false])
})

test('a trusted network too causes few mails to one mailbox', async () => {
  const limits = createCodeLimits(openMemoryCounter, { failures: 3, trustedNetworks: TRUSTED }, 100)
  const answers = []
  for (let times = 0; times <= MOST_OF_PAIR; times += 1) {
    answers.push((await limits.admit('a@example.com', '198.51.100.7'))?.limit ?? null)
  }
  expect(answers).toEqual([...Array.from({ length: MOST_OF_PAIR }, () => null), 'mailbox-and-network'])
})
