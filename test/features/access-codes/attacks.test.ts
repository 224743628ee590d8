import { expect, test, vi } from 'vitest'
import { codeKey } from '../../../src/features/access-codes/codes/code-records.ts'
import { guessingBudget, WRONG_CODES_IN_ALL } from '../../../src/features/access-codes/codes/guessing-budget.ts'
import { NO_HOLDER } from '../../../src/features/access-codes/codes/new-codes.ts'
import { createGuessLimits } from '../../../src/features/access-codes/guess-limits.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { DEFAULT_ADDRESS_LIMIT } from '../../../src/sign-in-limits/settings.ts'
import { cookieIn, goesOn } from '../../login/signed-in.ts'
import { START_SECONDS } from '../../login/start-login-app.ts'
import { rowsFor } from '../../rows.ts'
import { batchOf, openCodes, startCodesApp } from './codes-app.ts'

const STEPS = 1_000

/** Guesses from 200 networks in fake time. Returns how many guesses were checked, and how many the budget has. */
async function guessForHours({ guesses, hours, inAll = WRONG_CODES_IN_ALL }: Guessing) {
  vi.useFakeTimers({ now: START_SECONDS * 1000 })
  try {
    const limits = createGuessLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 'default', inAll)
    let checked = 0
    for (let guess = 1; guess <= guesses; guess += 1) {
      if ((await limits.admit(`2001:db8:${(guess % 200).toString(16)}::1`)) === null) checked += 1
      if (guess % (guesses / STEPS) === 0) vi.advanceTimersByTime((hours * 3_600_000) / STEPS)
    }
    const allowed = (guessingBudget([], hours * 3_600).guesses * inAll) / WRONG_CODES_IN_ALL
    return { checked, allowed }
  } finally {
    vi.useRealTimers()
  }
}

interface Guessing {
  readonly guesses: number
  readonly hours: number
  readonly inAll?: number
}

const WRONG = 'CDF2-GHJ-KM3'

test.each(rowsFor([{ guesses: 50_000, inAll: 1_000 }], [{ guesses: 1_000_000 }]))(
  '$guesses guesses for two hours never pass the published number',
  async (guessing) => {
    const { checked, allowed } = await guessForHours({ hours: 2, ...guessing })
    expect(checked).toBeLessThanOrEqual(allowed)
    // The attacker got nearly all of them: limit and formula are about the same.
    expect(checked).toBeGreaterThan(allowed * 0.85)
  },
)

test('parallel guesses are not more than the limit', async () => {
  const limits = createGuessLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 'default', 50)
  const admitted = await Promise.all(Array.from({ length: 500 }, (_, at) => limits.admit(`192.0.2.${at % 250}`)))
  expect(admitted.filter((one) => one === null)).toHaveLength(50)
  expect(admitted.at(-1)).toMatchObject({ limit: 'codes-in-all' })
})

test('a household with a /48 cannot use up the guesses of all', async () => {
  const limits = createGuessLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 'default')
  let checked = 0
  for (let at = 0; at < 5_000; at += 1) {
    if ((await limits.admit(`2001:db8:1:${at.toString(16)}::1`)) === null) checked += 1
  }
  expect(checked).toBe(DEFAULT_ADDRESS_LIMIT.failures * 4)
  expect(await limits.admit('2001:db8:2::1')).toBe(null)
})

test('right codes use up nothing: 3,000 people behind one address sign in', async () => {
  const limits = createGuessLimits(openMemoryCounter, DEFAULT_ADDRESS_LIMIT, 'default', 100)
  for (let person = 0; person < 3_000; person += 1) {
    expect(await limits.admit('192.0.2.7')).toBe(null)
    await limits.giveBack('192.0.2.7')
  }
})

test('wrong codes of an address reach the limit of passwords, and then a right code is refused too', async () => {
  const { app, create, enter } = await startCodesApp()
  const [code = ''] = await create()
  const { failures } = DEFAULT_ADDRESS_LIMIT
  for (let guess = 0; guess < failures; guess += 1) expect((await enter(WRONG)).status).toBe(401)
  expect((await enter(code)).status).toBe(429)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'held-back', limit: 'address' })
})

test('the limit of all addresses in an app is the published one', () => {
  expect(WRONG_CODES_IN_ALL).toBe(20_000)
})

test.each(['code', 'batch'] as const)('a revoked %s is refused at the next return and at a sign-in', async (what) => {
  const { app, codes, create, enter } = await startCodesApp()
  const [code = ''] = await create()
  const Cookie = cookieIn(await enter(code))
  expect(goesOn(await app.get('/', { Cookie }))).toBe(true)
  if (what === 'code') await codes.revokeCode(batchOf(), 1, START_SECONDS)
  else await codes.revokeBatch(batchOf(), START_SECONDS)
  const back = await app.get('/', { Cookie })
  expect([back.status, back.location]).toEqual([403, undefined])
  expect(back.text).toContain('This access code is no longer valid.')
  expect((await enter(code)).status).toBe(403)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'ended-code', viewer: codeKey(batchOf(), 1), reason: 'revoked' })
})

test('no answer and no session outlives the end of a code', async () => {
  const { app, create, enter } = await startCodesApp()
  const [code = ''] = await create({ endsAtSeconds: START_SECONDS + 600 })
  const answer = await enter(code)
  expect(decodeURIComponent(answer.location ?? '')).toContain(`"hashExpire":${START_SECONDS + 600}`)
  app.clock.seconds += 599
  expect(goesOn(await app.get('/', { Cookie: cookieIn(answer) }))).toBe(true)
  app.clock.seconds += 1
  expect((await app.get('/', { Cookie: cookieIn(answer) })).location).toBe(undefined)
  expect((await enter(code)).status).toBe(403)
})

test('a store that is away refuses guests without counting a guess, and passwords still work', async () => {
  const { app, create, enter, records } = await startCodesApp()
  const [code = ''] = await create()
  const Cookie = cookieIn(await enter(code))
  await records.write([{ kind: 'code-batch', key: 'default/GALA', text: '{}' }])
  expect((await enter(code)).status).toBe(503)
  expect((await app.get('/', { Cookie })).status).toBe(503)
})

test('a batch that was stored in part lets no guest in', async () => {
  const { codes, create, enter, records } = await startCodesApp()
  const [code = ''] = await create()
  const text = JSON.stringify(batchOf({ isComplete: false }))
  await records.write([{ kind: 'code-batch', key: 'default/GALA', text }])
  expect((await enter(code)).status).toBe(401)
  expect(await codes.create(batchOf(), [])).toBe(false)
})

test('thousands of sign-ins with one code at once have different numbers', async () => {
  const { codes, create } = openCodes()
  await create({ isShared: true })
  const known = await codes.ofSubject('default/GALA/000001')
  if (known === null) return expect.unreachable()
  const numbers = await Promise.all(Array.from({ length: 2_000 }, () => codes.use(known, null, START_SECONDS)))
  expect(new Set(numbers).size).toBe(2_000)
  expect(Math.max(...numbers)).toBe(2_000)
})

test('1,200 codes of a batch are listed by number', async () => {
  const { codes, create } = openCodes()
  await create(
    { length: 12 },
    Array.from({ length: 1_200 }, () => NO_HOLDER),
  )
  const numbers = []
  for await (const { code } of codes.codesOf(batchOf())) numbers.push(code.number)
  expect(numbers).toEqual(Array.from({ length: 1_200 }, (_, at) => at + 1))
})
