import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OpenCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { DEFAULT_ADDRESS_LIMIT } from '../../src/sign-in-limits/settings.ts'
import { createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { hasAllRows } from '../rows.ts'

const HOME = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const DAY_MS = 86_400_000
/** Accepts five seconds less: in real time, the last failure comes later than the first. */
const NEARLY_A_DAY = expect.closeTo(86_400, -1)
const NEARLY_TEN_MINUTES = expect.closeTo(600, -1)

export interface CountersUnderTest {
  readonly openCounter: OpenCounter
  /** Makes all counts older by so much; below zero, sets the clock back. */
  advance(ms: number): Promise<void>
  close?(): Promise<void> | void
}

/**
 * Tests the promises of the limits for one place of the counts. Real clocks are tested to half a second.
 * @param open called before each test. Opens counters without counts.
 */
export function signInLimitsContract(name: string, open: () => Promise<CountersUnderTest>): void {
  let limits: SignInLimits
  let counters: CountersUnderTest
  beforeEach(async () => {
    counters = await open()
    limits = createSignInLimits(counters.openCounter)
  })
  afterEach(() => counters.close?.())
  const advance = (ms: number) => counters.advance(ms)

  /** Makes one attempt. Returns its outcome, or the limit that refused it with the seconds to wait. */
  async function attempt(username: string, address: string, outcome: 'failed' | 'succeeded' | 'denied' = 'failed') {
    const admission = await limits.admit(username, address)
    if (!admission.ok) return [admission.limit, admission.retryAfterSeconds]
    const rateLimited = await admission.attempt[outcome]()
    return rateLimited ? [rateLimited.limit, rateLimited.retryAfterSeconds] : outcome
  }

  async function failTimes(times: number, username: string, address: string): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      let result = await attempt(username, address)
      while (Array.isArray(result)) {
        await advance(Number(result[1]) * 1000)
        result = await attempt(username, address)
      }
    }
  }

  /** Fails at one account, each time from another address, so that no pair has to wait. */
  async function attack(username: string, failures: number): Promise<void> {
    for (let count = 0; count < failures; count += 1) {
      expect(await attempt(username, `192.0.2.${count}`)).toBe('failed')
    }
  }

  describe(`secrets without an account: ${name}`, () => {
    test(`wrong codes and wrong passwords of one address have one limit (${name})`, async () => {
      for (let count = 0; count < DEFAULT_ADDRESS_LIMIT.failures; count += 1) {
        if (count % 2 === 0) expect(await attempt(`name-${count}`, HOME)).toBe('failed')
        else {
          const admission = await limits.admitGuess(HOME)
          expect(admission.ok && (await admission.failed())).toBe(null)
        }
      }
      expect(await limits.admitGuess(HOME)).toMatchObject({ ok: false, limit: 'address' })
      expect(await attempt('ada', HOME)).toEqual(['address', expect.any(Number)])
      expect((await limits.admitGuess('192.0.2.99')).ok).toBe(true)
    })

    test(`a secret that was checked while the address reached its limit is refused (${name})`, async () => {
      const admitted = await Promise.all(Array.from({ length: 301 }, () => limits.admitGuess(HOME)))
      const results = []
      for (const one of admitted) results.push(one.ok && (await one.failed()))
      expect(results.filter((one) => one === null)).toHaveLength(DEFAULT_ADDRESS_LIMIT.failures)
      expect(results.at(-1)).toMatchObject({ limit: 'address' })
    })
  })

  describe(`one account from one address: ${name}`, () => {
    test(`an account has five free failures, then waits 1, 2, 4, 8, 16, 32 and always 60 seconds (${name})`, async () => {
      for (let free = 0; free < 5; free += 1) expect(await attempt('ada', HOME)).toBe('failed')
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
        expect(await attempt('ada', HOME)).toEqual(['account-and-address', seconds])
        await advance(seconds * 1000 - 500)
        expect(await attempt('ada', HOME)).toEqual(['account-and-address', 1])
        await advance(500)
        expect(await attempt('ada', HOME)).toBe('failed')
      }
    })

    test(`an attempt during a wait does not extend it (${name})`, async () => {
      await failTimes(8, 'ada', HOME)
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 8])
      for (let impatience = 0; impatience < 50; impatience += 1) await attempt('ada', HOME)
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 8])
    })

    test(`a right password of a disabled viewer changes no count (${name})`, async () => {
      await failTimes(4, 'ada', HOME)
      for (let time = 0; time < 10; time += 1) expect(await attempt('ada', HOME, 'denied')).toBe('denied')
      expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 1])
    })

    test(`a right password resets the count of its address (${name})`, async () => {
      await failTimes(7, 'ada', HOME)
      await advance(60_000)
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      for (let free = 0; free < 5; free += 1) expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 1])
    })

    test(`an address is refused for the rest of the day after 100 failures at one account (${name})`, async () => {
      await failTimes(100, 'ada', HOME)
      await advance(60_000)
      const [limit, seconds] = (await attempt('ada', HOME)) as [string, number]
      expect(limit).toMatch(/^account/)
      expect(seconds).toBeGreaterThan(DAY_MS / 2000)
      await advance(seconds * 1000 + 60_000)
      expect(await attempt('ada', HOME)).toBe('failed')
    })

    test(`500 simultaneous guesses pass no more often than guesses one after the other (${name})`, async () => {
      const results = await Promise.all(Array.from({ length: 500 }, () => attempt('ada', HOME)))
      expect(results.filter((result) => result === 'failed')).toHaveLength(5)
      await advance(1000)
      expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 2])
    })

    test(`an abandoned attempt is not counted (${name})`, async () => {
      await failTimes(5, 'ada', HOME)
      await advance(60_000)
      for (let overload = 0; overload < 20; overload += 1) {
        const admission = await limits.admit('ada', HOME)
        expect(admission.ok).toBe(true)
        if (admission.ok) await admission.attempt.abandoned()
      }
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
    })

    test.each([
      ['ada@example.com', 'ADA@Example.COM'],
      ['ada@example.com', ' ada@example.com '],
      ['ada lovelace', 'ada \u00a0 lovelace'],
      ['andré', 'andre\u0301'],
      ['andré', 'Andre'],
      ['straße', 'STRASSE'],
      ['ada', '\uff41\uff44\uff41'],
      ['ada', 'a\u00add\u200ba'],
      ['stra\u00dfe', 'stra\u1e9ee'],
      ['\u05d0\u05b8\u05b0', '\u05d0\u05b8\u034f\u05b0'],
      ['ada', 'ada\ufeff'],
      ['ada', 'a\u2060d\ufe0fa'],
      ['i\u0307lker', '\u0130lker'],
    ])(`%j and %j are one account, because a directory may treat them as one (${name})`, async (first, second) => {
      await failTimes(5, first, HOME)
      expect(await attempt(second, HOME)).toEqual(['account-and-address', 1])
    })

    test(`another name is another account (${name})`, async () => {
      await failTimes(6, 'ada', HOME)
      for (const name of ['adb', 'ad', 'ada2', 'bob', '\u0905\u0926', '\u0905\u0926\u093e']) {
        expect(await attempt(name, HOME)).toBe('failed')
      }
    })
  })

  describe(`one account from everywhere: ${name}`, () => {
    test(`an account with 100 failures a day is closed for unknown addresses (${name})`, async () => {
      await attack('ada', 100)
      expect(await attempt('ada', HOME, 'succeeded')).toEqual(['account', NEARLY_A_DAY])
      expect(await attempt('ada', ELSEWHERE)).toEqual(['account', NEARLY_A_DAY])
      expect(await attempt('bob', HOME, 'succeeded')).toBe('succeeded')
      await advance(DAY_MS)
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
    })

    test(`the owner gets in from a known address, which resets the count (${name})`, async () => {
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      await attack('ada', 100)
      expect(await attempt('ada', ELSEWHERE)).toEqual(['account', NEARLY_A_DAY])
      expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      expect(await attempt('ada', ELSEWHERE)).toBe('failed')
    })

    test(`an address stays known for 14 days (${name})`, async () => {
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      await advance(14 * DAY_MS - 5_000)
      await attack('ada', 100)
      expect(await attempt('ada', HOME)).toBe('failed')
      await advance(5_000)
      expect(await attempt('ada', HOME)).toMatchObject(['account', expect.any(Number)])
    })

    test(`at most 100 of 500 simultaneous guesses from 500 addresses are answered (${name})`, async () => {
      const addresses = Array.from({ length: 500 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
      const admissions = await Promise.all(addresses.map((address) => limits.admit('ada', address)))
      const answers = []
      for (const [index, admission] of admissions.entries()) {
        if (!admission.ok) continue
        const { attempt: one } = admission
        if (index < 100) await one.failed()
        else answers.push(await (index % 2 === 0 ? one.succeeded() : one.denied()))
      }
      expect(answers).toHaveLength(400)
      expect(new Set(answers.map((answer) => answer?.limit))).toEqual(new Set(['account']))
    })
  })

  describe(`one address: ${name}`, () => {
    test(`an address has 300 failures in ten minutes, so guesses at 500 names are stopped (${name})`, async () => {
      const results = []
      for (let name = 0; name < 500; name += 1) results.push(await attempt(`user${name}`, HOME))
      expect(results.filter((result) => result === 'failed')).toHaveLength(300)
      expect(results[300]).toEqual(['address', NEARLY_TEN_MINUTES])
      expect(await attempt('bob', ELSEWHERE, 'succeeded')).toBe('succeeded')
      await advance(600_000)
      expect(await attempt('bob', HOME, 'succeeded')).toBe('succeeded')
    })

    test(`a guessing address does not lock out viewers who signed in from it before (${name})`, async () => {
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      for (let name = 0; name < 300; name += 1) await attempt(`user${name}`, HOME)
      expect(await attempt('bob', HOME, 'succeeded')).toEqual(['address', NEARLY_TEN_MINUTES])
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
    })

    // Thousands of round trips to a server say nothing new.
    const size = name === 'memory' || hasAllRows ? 2_000 : 200
    test(`an address of ${size} viewers blocks none if one in ten mistypes twice (${name})`, async () => {
      const results = []
      for (let viewer = 0; viewer < size; viewer += 1) {
        const typos = viewer % 10 === 0 ? 2 : 0
        for (let typo = 0; typo < typos; typo += 1) results.push(await attempt(`user${viewer}`, HOME))
        results.push(await attempt(`user${viewer}`, HOME, 'succeeded'))
      }
      expect(results.filter(Array.isArray)).toEqual([])
    })

    test(`an address of ${size} viewers blocks none at the same moment (${name})`, async () => {
      const admissions = await Promise.all(
        Array.from({ length: size }, (_, viewer) => limits.admit(`user${viewer}`, HOME)),
      )
      const answers = await Promise.all(
        admissions.map(async (admission, viewer) => {
          if (!admission.ok) return admission
          return viewer % 10 === 0 ? await admission.attempt.failed() : await admission.attempt.succeeded()
        }),
      )
      expect(answers.filter(Boolean)).toEqual([])
      const again = await Promise.all(
        Array.from({ length: size / 10 }, (_, mistyped) => attempt(`user${mistyped * 10}`, HOME, 'succeeded')),
      )
      expect(new Set(again)).toEqual(new Set(['succeeded']))
    })

    test(`500 simultaneous guesses of one address get no more answers than one after the other (${name})`, async () => {
      const admissions = await Promise.all(Array.from({ length: 500 }, (_, name) => limits.admit(`user${name}`, HOME)))
      const answers = []
      for (const [index, admission] of admissions.entries()) {
        if (!admission.ok) expect.unreachable('nothing was known to be wrong yet')
        else if (index < 300) await admission.attempt.failed()
        else answers.push((await admission.attempt.succeeded())?.limit)
      }
      expect(new Set(answers)).toEqual(new Set(['address']))
    })
  })
}
