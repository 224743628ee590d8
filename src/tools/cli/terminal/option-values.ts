import { InvalidArgumentError } from 'commander'

/** Collects the values of a repeatable option. */
export function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value]
}

/** Returns the parser of a whole number in this range, with six digits at most. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`)
  }
}

const LONGEST_MS = 99 * 3_600_000
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 }

/** Reads a duration such as 90s, 1.5m or 1h30m into milliseconds. */
export function duration(text: string): number {
  const parts = /^(\d{1,5}(\.\d)?[hms]){1,3}$/.test(text) ? (text.match(/[\d.]+[hms]/g) ?? []) : []
  const ms = parts.reduce((sum, part) => sum + Number.parseFloat(part) * (UNIT_MS[part.slice(-1)] ?? 0), 0)
  if (ms > 0 && ms <= LONGEST_MS) return ms
  throw new InvalidArgumentError('Use a duration such as 90s, 45m or 1h30m, up to 99h.')
}
