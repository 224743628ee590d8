import { vi } from 'vitest'
import { guessingBudget, WRONG_CODES_IN_ALL } from '../../../src/features/access-codes/codes/guessing-budget.ts'
import { createGuessLimits } from '../../../src/features/access-codes/guess-limits.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { DEFAULT_ADDRESS_LIMIT } from '../../../src/sign-in-limits/settings.ts'
import { START_SECONDS } from '../../login/start-login-app.ts'

const STEPS = 1_000

/** Guesses from 200 networks in fake time. Returns how many guesses were checked, and how many the budget has. */
export async function guessForHours({ guesses, hours, inAll = WRONG_CODES_IN_ALL }: Guessing) {
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
