import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import type { GuestRecords, GuestStore } from '../../../src/services/guests/guest-records.ts'
import { TRIES } from '../../../src/services/mail-code/code.ts'
import {
  createCodeLimits,
  MOST_GUESSES_OF_PAIR,
  MOST_OF_MAILBOX,
  MOST_OF_PAIR,
} from '../../../src/services/mail-code/code-limits.ts'
import { createMailCodes } from '../../../src/services/mail-code/mail-codes.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { DEFAULT_ADDRESS_LIMIT } from '../../../src/sign-in-limits/settings.ts'
import { START_SECONDS } from '../../login/start-login-app.ts'
import { hasAllRows, rowsFor } from '../../rows.ts'

const TEN_MINUTES = 600
const HOUR = 3_600
/** A disk in memory, if the system has one: a million writes to a real disk take an hour. */
const DISK = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

interface Strategy {
  readonly address: (ask: number) => string
  readonly network: (step: number) => string
  /** Codes that the attacker asks for before the guesses of a step. */
  readonly asks: number
  /** Guesses at each code. Those after the last try are in vain. */
  readonly guessesAtCode: number
  readonly stepSeconds: number
  /** True to ask for the new code in the frame of the code before. */
  readonly isOneFrame?: true
  /** True if the owner of the address signs in from the network of the attacker. */
  readonly isKnown?: true
  /** The published number of guesses that are compared in this time. */
  readonly allowed: (seconds: number) => number
}

/** A limit of `most` in a period. One more period may begin just before the end. */
const within = (most: number, periodSeconds: number) => (seconds: number) =>
  most * (Math.ceil(seconds / periodSeconds) + 1)

const VICTIM = () => 'guest@example.com'
const ONE_NETWORK = () => '192.0.2.1'
const manyNetworks = (step: number) => `2001:db8:${(step % 50_000).toString(16)}::1`

const NEW_CODES_IN_ONE_FRAME = {
  address: VICTIM,
  network: ONE_NETWORK,
  asks: 1,
  guessesAtCode: 40,
  stepSeconds: 30,
  isOneFrame: true,
} as const

const STRATEGIES = {
  'at one address from many networks': {
    address: VICTIM,
    network: manyNetworks,
    asks: 20,
    guessesAtCode: 40,
    stepSeconds: TEN_MINUTES,
    allowed: within(MOST_OF_MAILBOX * TRIES, HOUR),
  },
  'at many addresses from one network': {
    address: (ask) => `guest-${ask}@example.com`,
    network: ONE_NETWORK,
    asks: 300,
    guessesAtCode: 10,
    stepSeconds: TEN_MINUTES,
    allowed: within(DEFAULT_ADDRESS_LIMIT.failures, TEN_MINUTES),
  },
  'at new codes in one frame, as often as allowed': {
    ...NEW_CODES_IN_ONE_FRAME,
    // Ten codes in ten minutes would have fewer guesses.
    stepSeconds: 180,
    allowed: within(MOST_OF_MAILBOX * TRIES, HOUR),
  },
  'at new codes in one frame, from the network of the owner': {
    ...NEW_CODES_IN_ONE_FRAME,
    isKnown: true,
    allowed: within(MOST_GUESSES_OF_PAIR, TEN_MINUTES),
  },
} as const satisfies Record<string, Strategy>

/**
 * Guesses wrong codes in fake time. Every tenth code then gets the right one.
 * @returns how many guesses were compared with a code, how many the limits allow, the chance of each, and how many right
 * codes still counted.
 */
async function guessForMonths(strategy: Strategy, guesses: number) {
  vi.useFakeTimers({ now: START_SECONDS * 1000 })
  const folder = mkdtempSync(join(DISK, 'guesses-'))
  const nowSeconds = () => Date.now() / 1000
  const store = openFileRecords(join(folder, 'guests.db'), { nowSeconds })
  try {
    const { compared, ...others } = await attack(strategy, guesses, store)
    const seconds = nowSeconds() - START_SECONDS
    const allowed = strategy.allowed(seconds)
    const oneGuess = 1 / 30 ** 8
    const chances = { chance: compared * oneGuess, publishedChance: allowed * oneGuess }
    return { ...others, compared, allowed, ...chances, days: seconds / 86_400 }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
    vi.useRealTimers()
  }
}

async function attack(strategy: Strategy, guesses: number, store: GuestStore) {
  const nowSeconds = () => Date.now() / 1000
  /** The conditional writes of codes: each counts a compared code. */
  let counted = 0
  const records: GuestRecords = {
    ...store,
    write(steps) {
      if (steps.some(({ kind, if: condition }) => kind === 'mail-code' && condition !== undefined)) counted += 1
      return store.write(steps)
    },
  }
  const sent = { code: '' }
  const outbox = {
    stepFor({ code, endsAtSeconds }: { readonly code: string; readonly endsAtSeconds: number }) {
      sent.code = code
      return { kind: 'mail-outbox', key: 'newest', text: '{}', endsAtSeconds }
    },
    wake() {},
    waiting: () => 0,
  }
  const limits = createCodeLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 10_000)
  const codes = createMailCodes(
    { records, outbox, isLate: () => false, limits, secrets: ['secret'], nowSeconds },
    'attack default',
  )
  let asks = 0
  let calls = 0
  let compared = 0
  let rightCodes = 0
  let secret = ''

  async function ask() {
    const address = strategy.address(asks)
    const from = { clientAddress: strategy.network(calls++), language: 'en', device: [], requestId: 'id' } as const
    const answer = await codes.ask({ address, ...from, ...(strategy.isOneFrame && secret !== '' && { secret }) })
    if (!answer.ok) return null
    asks += 1
    secret = answer.secret
    return { address, secret, code: sent.code }
  }
  async function askWhileAllowed() {
    const opened: { address: string; secret: string; code: string }[] = []
    while (opened.length < strategy.asks) {
      const one = await ask()
      if (one === null) break
      opened.push(one)
    }
    return opened
  }
  const use = (one: { address: string; secret: string }, code: string) =>
    codes.use({ ...one, code, clientAddress: strategy.network(calls++) })

  let guessed = 0
  while (guessed < guesses) {
    if (strategy.isKnown) {
      await limits.admitGuess(strategy.address(0), strategy.network(0))
      await limits.succeeded(strategy.address(0), strategy.network(0))
    }
    const opened = await askWhileAllowed()
    // The first try at all codes, then the second, so that no limit goes to guesses in vain.
    for (let round = 0; round < strategy.guessesAtCode; round += 1) {
      for (const one of opened) {
        const before = counted
        const answer = await use(one, one.code === '22222222' ? '33333333' : '22222222')
        guessed += 1
        if (counted > before || (!answer.ok && 'reason' in answer && answer.reason === 'wrong')) compared += 1
      }
    }
    const [first] = opened
    if (first && asks % 10 === 0 && (await use(first, first.code)).ok) rightCodes += 1
    await store.prune()
    vi.advanceTimersByTime(strategy.stepSeconds * 1000)
  }
  return { guessed, compared, rightCodes }
}

/** With more guesses, the attacker gets closer to the limits. */
const GUESSES = rowsFor([{ guesses: 4_000, share: 0.6 }], [{ guesses: 1_000_000, share: 0.9 }])

describe.each(GUESSES)('$guesses guesses', ({ guesses, share }) => {
  test.each(Object.entries(STRATEGIES))(
    '%s never pass the published chance',
    { timeout: 900_000 },
    async (name, strategy) => {
      const { guessed, chance, publishedChance, rightCodes, ...counts } = await guessForMonths(strategy, guesses)
      if (hasAllRows) {
        const oneIn = { chance: 1 / chance, published: 1 / publishedChance }
        console.log(name, JSON.stringify({ guessed, rightCodes, ...counts, oneIn }))
      }
      expect(guessed).toBeGreaterThanOrEqual(guesses)
      expect(chance).toBeLessThanOrEqual(publishedChance)
      // The attacker got most of it: limits and formula are about the same.
      expect(chance).toBeGreaterThan(publishedChance * share)
      expect(rightCodes).toBe(0)
    },
  )
})

test('the README publishes the limits on guesses and their chance', () => {
  const readme = readFileSync(new URL('../../../src/features/mail-sign-in/README.md', import.meta.url), 'utf8')
  const row = (begin: string) => readme.split('\n').find((line) => line.startsWith(`| ${begin}`)) ?? ''
  expect(row('tries at a code')).toContain(`| ${TRIES} |`)
  expect(row('codes for one address from one network')).toContain(`| ${MOST_OF_PAIR} in 10 minutes |`)
  expect(row('guesses at the codes of one address')).toContain(`| ${MOST_GUESSES_OF_PAIR} in 10 minutes |`)
  expect(row('codes for one address from networks')).toContain(`| ${MOST_OF_MAILBOX} in an hour`)
  const million = 1_000_000 / 30 ** 8
  expect(row('chance of a million guesses')).toContain(
    `1 in ${(Math.floor(1 / million / 1e4) * 1e4).toLocaleString('en')}`,
  )
})
