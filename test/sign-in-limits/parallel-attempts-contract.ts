import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accountKey } from '../../src/sign-in-limits/keys.ts'
import type { LimitRefusal } from '../../src/sign-in-limits/limit-refusal.ts'
import type { Counter, OpenCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { type Attempt, createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import type { CountersUnderTest } from './sign-in-limits-contract.ts'

const HOME = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const MONTH_MS = 30 * 86_400_000

type Outcome = 'failed' | 'succeeded' | 'denied'

/** Tests what parallel attempts can learn, for one place of the counts. */
export function parallelAttemptsContract(name: string, open: () => Promise<CountersUnderTest>): void {
  let limits: SignInLimits
  let counters: CountersUnderTest
  let counterNamed: Map<string, Counter>
  beforeEach(async () => {
    counters = await open()
    counterNamed = new Map()
    const watched: OpenCounter = (counter, ...rest) => {
      const opened = counters.openCounter(counter, ...rest)
      counterNamed.set(counter, opened)
      return opened
    }
    limits = createSignInLimits(watched)
  })
  afterEach(() => counters.close?.())

  const admit = async (username: string, address: string): Promise<Attempt | LimitRefusal> => {
    const admission = await limits.admit(username, address)
    return admission.ok ? admission.attempt : admission
  }
  const settle = async (attempt: Attempt | LimitRefusal, outcome: Outcome, storedName?: string) =>
    'limit' in attempt ? attempt : ((await attempt[outcome](storedName)) ?? outcome)
  const attempt = async (username: string, address: string, outcome: Outcome, storedName?: string) =>
    await settle(await admit(username, address), outcome, storedName)
  const failuresOf = async (address: string) =>
    (await counterNamed.get('failed-address')?.get(address))?.consumedPoints ?? 0

  /** Guesses at other names until the address is refused. Returns the number of guesses that were checked. */
  async function guessesLeft(address: string): Promise<number> {
    for (let guess = 0; guess < 1000; guess += 1) {
      if ((await attempt(`guessed${guess}`, address, 'failed')) !== 'failed') return guess
    }
    return expect.unreachable('no limit')
  }

  describe(`failures that a success gives back: ${name}`, () => {
    test(`parallel right passwords give back no guess that is under way (${name})`, async () => {
      const answers: unknown[] = []
      for (let round = 0; round < 60; round += 1) {
        const guesses = Array.from({ length: 10 }, (_, index) => `user${round}-${index}`)
        const right = await Promise.all(Array.from({ length: 4 }, () => admit('eve', HOME)))
        const wrong = await Promise.all(guesses.map((guess) => admit(guess, HOME)))
        const results = await Promise.all([
          ...right.map((one) => settle(one, 'succeeded')),
          ...wrong.map((one) => settle(one, 'failed')),
        ])
        answers.push(...results.slice(right.length))
      }
      expect(answers.filter((answer) => answer === 'failed')).toHaveLength(300)
    })

    test(`parallel right passwords give back the viewer's own failures once (${name})`, async () => {
      for (let guess = 0; guess < 100; guess += 1) await attempt(`user${guess}`, HOME, 'failed')
      for (let typo = 0; typo < 3; typo += 1) await attempt('eve', HOME, 'failed')
      expect(await failuresOf(HOME)).toBe(103)
      const right = [await admit('eve', HOME), await admit('eve', HOME)]
      const results = await Promise.all(right.map((one) => settle(one, 'succeeded')))
      expect(results).toEqual(['succeeded', 'succeeded'])
      expect(await failuresOf(HOME)).toBe(100)
    })

    test(`failures that an earlier period of the address counted are not given back (${name})`, async () => {
      await attempt('someone', HOME, 'failed')
      await counters.advance(590_000)
      for (let typo = 0; typo < 4; typo += 1) await attempt('eve', HOME, 'failed')
      await counters.advance(11_000)
      for (let guess = 0; guess < 50; guess += 1) await attempt(`user${guess}`, HOME, 'failed')
      expect(await attempt('eve', HOME, 'succeeded')).toBe('succeeded')
      expect(await failuresOf(HOME)).toBe(50)
    })

    test(`a denied viewer gets no failure back (${name})`, async () => {
      for (let typo = 0; typo < 3; typo += 1) await attempt('eve', HOME, 'failed')
      expect(await attempt('eve', HOME, 'denied')).toBe('denied')
      expect(await failuresOf(HOME)).toBe(3)
    })
  })

  describe(`a burst at the limit: ${name}`, () => {
    test.each([
      ['one account', 100, 'account', (index: number) => ['ada', `10.0.${index >> 8}.${index & 255}`]],
      ['one address', 300, 'address', (index: number) => [`user${index}`, HOME]],
    ] as const)(
      `a burst at %s gets %i answers, and then all passwords the same refusal (${name})`,
      async (_what, allowed, limit, target) => {
        const attempts = []
        for (let index = 0; index < 500; index += 1) {
          const [username = '', address = ''] = target(index)
          attempts.push(await admit(username, address))
        }
        const answers = await Promise.all(attempts.map((one) => settle(one, 'failed')))
        expect(answers.filter((answer) => answer === 'failed')).toHaveLength(allowed)
        const refused = answers.filter((answer) => answer !== 'failed') as LimitRefusal[]
        expect(new Set(refused.map((refusal) => refusal.limit))).toEqual(new Set([limit]))
      },
    )

    test(`right and wrong passwords of one burst get the same refusal (${name})`, async () => {
      const burst = await Promise.all(Array.from({ length: 130 }, (_, index) => admit('ada', `10.0.0.${index}`)))
      await Promise.all(burst.slice(0, 100).map((one) => settle(one, 'failed')))
      const outcomes: readonly Outcome[] = ['succeeded', 'denied', 'failed']
      const answers = await Promise.all(
        burst.slice(100).map((one, index) => settle(one, outcomes[index % 3] ?? 'failed')),
      )
      const sameAnswer = { ok: false, limit: 'account', retryAfterSeconds: expect.closeTo(86_400, -1) }
      expect(answers).toEqual(answers.map(() => sameAnswer))
    })

    test(`an attempt that was refused in a burst leaves the same counts, right or wrong (${name})`, async () => {
      const names = ['right', 'denied', 'wrong']
      const burst = await Promise.all(names.map((username) => admit(username, HOME)))
      await guessesLeft(HOME)
      const outcomes: readonly Outcome[] = ['succeeded', 'denied', 'failed']
      await Promise.all(burst.map((one, index) => settle(one, outcomes[index] ?? 'failed')))
      const pairOf = (username: string) => `${accountKey(username)}@${HOME}`
      for (const [counter, keyOf] of [
        ['failed-pair', pairOf],
        ['mistyped', pairOf],
        ['failed-account', accountKey],
        ['known-pair', pairOf],
      ] as const) {
        const counts = await Promise.all(names.map((username) => counterNamed.get(counter)?.get(keyOf(username))))
        expect(new Set(counts.map((count) => count?.consumedPoints ?? 0)).size, counter).toBe(1)
      }
    })

    test(`a known viewer gets true answers during a burst (${name})`, async () => {
      expect(await attempt('ada', HOME, 'succeeded')).toBe('succeeded')
      const under = [await admit('ada', HOME), await admit('ada', HOME)]
      for (let guess = 0; guess < 110; guess += 1) await attempt('ada', `10.0.0.${guess}`, 'failed')
      expect(await settle(under[0] ?? expect.unreachable(), 'failed')).toBe('failed')
      expect(await settle(under[1] ?? expect.unreachable(), 'succeeded')).toBe('succeeded')
    })
  })

  describe(`an account with several names: ${name}`, () => {
    test(`all names of an account share its 100 failures (${name})`, async () => {
      const names = ['ada', 'ada@example.com', 'EXAMPLE\\ada']
      const answers = []
      for (let guess = 0; guess < 150; guess += 1) {
        answers.push(await attempt(names[guess % 3] ?? '', `10.0.0.${guess}`, 'failed', 'ada'))
      }
      expect(answers.filter((answer) => answer === 'failed')).toHaveLength(100)
      expect(await attempt('ada@example.com', ELSEWHERE, 'succeeded', 'ada')).toMatchObject({ limit: 'account' })
      expect(await attempt('bob', ELSEWHERE, 'succeeded', 'bob')).toBe('succeeded')
    })

    test(`a success under another name resets the failures of the account (${name})`, async () => {
      for (let guess = 0; guess < 99; guess += 1) await attempt('ada', `10.0.0.${guess}`, 'failed', 'ada')
      expect(await attempt('ada@example.com', HOME, 'succeeded', 'ada')).toBe('succeeded')
      expect(await attempt('ada', ELSEWHERE, 'failed', 'ada')).toBe('failed')
      expect(await attempt('ada', ELSEWHERE, 'failed', 'ada')).toBe('failed')
    })
  })

  test(`a clock that was set back makes no wait longer than its limit (${name})`, async () => {
    for (let guess = 0; guess < 100; guess += 1) await attempt('ada', `10.0.0.${guess}`, 'failed')
    await guessesLeft(HOME)
    for (let guess = 0; guess < 6; guess += 1) await attempt('eve', ELSEWHERE, 'failed')
    await counters.advance(-MONTH_MS)
    expect(await attempt('ada', ELSEWHERE, 'succeeded')).toMatchObject({ retryAfterSeconds: 86_400 })
    expect(await attempt('eve', ELSEWHERE, 'failed')).toMatchObject({ limit: 'account-and-address' })
    const inPair = (await attempt('eve', ELSEWHERE, 'failed')) as LimitRefusal
    expect(inPair.retryAfterSeconds).toBeLessThanOrEqual(60)
    expect(await attempt('new', HOME, 'failed')).toMatchObject({ limit: 'address', retryAfterSeconds: 600 })
  })
}
