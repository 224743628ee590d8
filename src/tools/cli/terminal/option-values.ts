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
