import type { AddressLimit } from './settings.ts'

/** How many viewers one address lets in by one way in, within ten minutes and without a mistake. */
export interface WayInCapacity {
  /** In words, such as `code by mail`. */
  readonly wayIn: string
  /** Null for any number. */
  readonly viewers: number | null
  /** The setting that raises the number. Absent for a fixed number. */
  readonly setting?: string
}

const FEWEST_BEGUN = 3_000
const VIEWERS_FOR_A_MISTAKE = 10

/**
 * Returns how many sign-ins of one address may be begun in ten minutes and not finished: requests for a code, windows.
 * A lower limit on failures does not lower this number, because it counts no guesses.
 */
export function mostBegun({ failures }: Pick<AddressLimit, 'failures'>): number {
  return Math.max(FEWEST_BEGUN, failures * VIEWERS_FOR_A_MISTAKE)
}

/** Returns the capacity of a way in that has only this limit. */
export function capacityOfBegun(wayIn: string, limit: Pick<AddressLimit, 'failures'>): WayInCapacity {
  return { wayIn, viewers: mostBegun(limit), setting: 'SIGN_IN_LIMIT_PER_ADDRESS' }
}
