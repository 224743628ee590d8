import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OpenCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'

const HOME = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const DAY_MS = 86_400_000
/** Within five seconds: counted from the first failure, and where the time goes on by itself the last comes later. */
const NEARLY_A_DAY = expect.closeTo(86_400, -1)
const NEARLY_TEN_MINUTES = expect.closeTo(600, -1)

export interface CountersUnderTest {
  readonly openCounter: OpenCounter
  /** Makes all counts so much older. */
  advance(ms: number): Promise<void>
  close?(): Promise<void> | void
}

/**
 * What the limits promise wherever the counts are kept. Where the time goes on by itself, a second is tested to the half.
 * @param open called before each test: nothing is counted yet.
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

  /** One attempt: what became of it, or the limit that held it back and for how many seconds. */
  async function attempt(username: string, address: string, outcome: 'failed' | 'succeeded' | 'denied' = 'failed') {
    const admission = await limits.admit(username, address)
    if (!admission.ok) return [admission.limit, admission.retryAfterSeconds]
    const heldBack = await admission.attempt[outcome]()
    return heldBack ? [heldBack.limit, heldBack.retryAfterSeconds] : outcome
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

  /** Failures of one account from as many addresses, so that no pair has to wait. */
  async function attack(username: string, failures: number): Promise<void> {
    for (let count = 0; count < failures; count += 1) {
      expect(await attempt(username, `192.0.2.${count}`)).toBe('failed')
    }
  }

  describe(`one account from one address: ${name}`, () => {
    test('has five free failures, then waits 1, 2, 4, 8, 16, 32 and at last always 60 seconds', async () => {
      for (let free = 0; free < 5; free += 1) expect(await attempt('ada', HOME)).toBe('failed')
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
        expect(await attempt('ada', HOME)).toEqual(['account-and-address', seconds])
        await advance(seconds * 1000 - 500)
        expect(await attempt('ada', HOME)).toEqual(['account-and-address', 1])
        await advance(500)
        expect(await attempt('ada', HOME)).toBe('failed')
      }
    })

    test('that only waits is not made to wait longer by asking again', async () => {
      await failTimes(8, 'ada', HOME)
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 8])
      for (let impatience = 0; impatience < 50; impatience += 1) await attempt('ada', HOME)
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 8])
    })

    test('is neither forgiven nor held against it when the right password lets nobody in', async () => {
      await failTimes(4, 'ada', HOME)
      for (let time = 0; time < 10; time += 1) expect(await attempt('ada', HOME, 'denied')).toBe('denied')
      expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 1])
    })

    test('starts anew after the right password', async () => {
      await failTimes(7, 'ada', HOME)
      await advance(60_000)
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      for (let free = 0; free < 5; free += 1) expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 1])
    })

    test('is refused for the rest of the day after 100 failures, and open the day after', async () => {
      await failTimes(100, 'ada', HOME)
      await advance(60_000)
      const [limit, seconds] = (await attempt('ada', HOME)) as [string, number]
      expect(limit).toMatch(/^account/)
      expect(seconds).toBeGreaterThan(DAY_MS / 2000)
      await advance(seconds * 1000 + 60_000)
      expect(await attempt('ada', HOME)).toBe('failed')
    })

    test('passes no more of 500 simultaneous guesses than of guesses one after the other', async () => {
      const results = await Promise.all(Array.from({ length: 500 }, () => attempt('ada', HOME)))
      expect(results.filter((result) => result === 'failed')).toHaveLength(5)
      await advance(1000)
      expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME)).toEqual(['account-and-address', 2])
    })

    test('does not count an attempt that was not checked, nor waits after it', async () => {
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
      ['ada', 'ada\ufeff'],
      ['ada', 'a\u2060d\ufe0fa'],
      ['i\u0307lker', '\u0130lker'],
    ])('%j and %j are one account, since a directory may take them for one', async (first, second) => {
      await failTimes(5, first, HOME)
      expect(await attempt(second, HOME)).toEqual(['account-and-address', 1])
    })

    test('is another account for another name', async () => {
      await failTimes(6, 'ada', HOME)
      for (const name of ['adb', 'ad', 'ada2', 'bob', '\u0905\u0926', '\u0905\u0926\u093e']) {
        expect(await attempt(name, HOME)).toBe('failed')
      }
    })
  })

  describe(`one account from everywhere: ${name}`, () => {
    test('takes 100 failures a day, then nobody gets in from an address it has not signed in from', async () => {
      await attack('ada', 100)
      expect(await attempt('ada', HOME, 'succeeded')).toEqual(['account', NEARLY_A_DAY])
      expect(await attempt('ada', ELSEWHERE)).toEqual(['account', NEARLY_A_DAY])
      expect(await attempt('bob', HOME, 'succeeded')).toBe('succeeded')
      await advance(DAY_MS)
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
    })

    test('lets the owner in from an address that signed in before, which ends the count', async () => {
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      await attack('ada', 100)
      expect(await attempt('ada', ELSEWHERE)).toEqual(['account', NEARLY_A_DAY])
      expect(await attempt('ada', HOME)).toBe('failed')
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      expect(await attempt('ada', ELSEWHERE)).toBe('failed')
    })

    test('knows an address for 14 days', async () => {
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      await advance(14 * DAY_MS - 5_000)
      await attack('ada', 100)
      expect(await attempt('ada', HOME)).toBe('failed')
      await advance(5_000)
      expect(await attempt('ada', HOME)).toMatchObject(['account', expect.any(Number)])
    })

    test('answers at most 100 of 500 simultaneous guesses from 500 addresses, the right one among the others too', async () => {
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
    test('takes 300 failures in ten minutes: 500 names with one password are noticed', async () => {
      const results = []
      for (let name = 0; name < 500; name += 1) results.push(await attempt(`user${name}`, HOME))
      expect(results.filter((result) => result === 'failed')).toHaveLength(300)
      expect(results[300]).toEqual(['address', NEARLY_TEN_MINUTES])
      expect(await attempt('bob', ELSEWHERE, 'succeeded')).toBe('succeeded')
      await advance(600_000)
      expect(await attempt('bob', HOME, 'succeeded')).toBe('succeeded')
    })

    test('that guesses spares those who have signed in from it before', async () => {
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      for (let name = 0; name < 300; name += 1) await attempt(`user${name}`, HOME)
      expect(await attempt('bob', HOME, 'succeeded')).toEqual(['address', NEARLY_TEN_MINUTES])
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
    })

    test('of 2,000 viewers, one in ten of whom mistypes, blocks none: one after the other', async () => {
      const results = []
      for (let viewer = 0; viewer < 2000; viewer += 1) {
        if (viewer % 10 === 0) results.push(await attempt(`user${viewer}`, HOME))
        results.push(await attempt(`user${viewer}`, HOME, 'succeeded'))
      }
      expect(results.filter(Array.isArray)).toEqual([])
    })

    test('of 2,000 viewers blocks none who try at the same moment', async () => {
      const admissions = await Promise.all(
        Array.from({ length: 2000 }, (_, viewer) => limits.admit(`user${viewer}`, HOME)),
      )
      const answers = await Promise.all(
        admissions.map(async (admission, viewer) => {
          if (!admission.ok) return admission
          return viewer % 10 === 0 ? await admission.attempt.failed() : await admission.attempt.succeeded()
        }),
      )
      expect(answers.filter(Boolean)).toEqual([])
      const again = await Promise.all(
        Array.from({ length: 200 }, (_, mistyped) => attempt(`user${mistyped * 10}`, HOME, 'succeeded')),
      )
      expect(new Set(again)).toEqual(new Set(['succeeded']))
    })

    test('of which 500 names are tried at the same moment gets no more answers than one after the other', async () => {
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
