import { styleText } from 'node:util'
import { countWords, numberWords } from '../../output/words.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { printable } from '../../terminal/text.ts'
import type { Attempt } from '../crowd/visit.ts'

export interface Limits {
  readonly recoverWithinMs: number
  /** The longest that a viewer may wait for an answer. */
  readonly maxWaitMs: number
}

/** The result of one criterion. */
export interface Check {
  readonly name: string
  readonly isMet: boolean
  /** False if the drill had no occasion for it. */
  readonly isTried: boolean
  readonly text: string
}

/** This program was too slow to play the viewers if more than one in a hundred requests was later than this. */
const MOST_LATE_MS = 1_000
const MOST_REASONS = 4

/** @param faults reasons that a failed check names and counts. */
export function check(name: string, isMet: boolean, text: string, faults: readonly string[] = [], isTried = true) {
  return { name, isMet, isTried, text: isMet || faults.length === 0 ? text : `${text} Reasons: ${reasons(faults)}.` }
}

/** Returns a check that these attempts fail, with their faults. */
export function checkNone(name: string, wrong: readonly Attempt[], text: string, isTried = true): Check {
  const faults = wrong.map(({ fault }) => fault)
  return check(name, wrong.length === 0, text, faults, isTried)
}

function reasons(faults: readonly string[]): string {
  const ranked = ranking(faults)
  const listed = ranked
    .slice(0, MOST_REASONS)
    .map(([fault, times]) => (times === 1 ? fault : `${numberWords(times)} × ${fault}`))
  return [...listed, ...(ranked.length > MOST_REASONS ? ['others'] : [])].join('; ')
}

/** Counts equal texts, the most frequent ones first. */
export function ranking(texts: readonly string[]): [text: string, times: number][] {
  const counts = [...Map.groupBy(texts, (text) => text)].map(([text, all]): [string, number] => [text, all.length])
  return counts.toSorted(([, one], [, other]) => other - one)
}

export function longestWait(attempts: readonly Attempt[], { maxWaitMs }: Pick<Limits, 'maxWaitMs'>): Check {
  const longest = attempts.reduce((most, { waitMs }) => Math.max(most, waitMs), 0)
  const text = `The longest wait for an answer was ${waitWords(longest)}, the limit is ${waitWords(maxWaitMs)}.`
  return check('longest-wait', longest <= maxWaitMs, text)
}

export function generator(attempts: readonly Attempt[]): Check {
  const lateMs = percentile(
    attempts.map((attempt) => attempt.lateMs),
    0.99,
  )
  const text = `This machine sent 99 % of the requests within ${waitWords(lateMs)} of their time.`
  const advice =
    lateMs <= MOST_LATE_MS ? '' : ' It is too slow for this drill: use a longer --over or a faster machine.'
  return check('generator', lateMs <= MOST_LATE_MS, text + advice)
}

/** Prints a verdict. It is not in the text of the outcome, which escapes colors. */
export function printVerdict({ stdout }: CommandIo, checks: readonly Check[], notes: readonly string[]): void {
  for (const { isMet, isTried, text } of checks) {
    const result = isTried ? (isMet ? 'passed' : 'failed') : 'not tried'
    const color = isTried ? (isMet ? 'green' : 'red') : 'dim'
    stdout.write(`${styleText(color, result, { stream: stdout })}  ${printable(text)}\n`)
  }
  for (const note of notes) stdout.write(`${printable(note)}\n`)
}

/** Returns the value below which this share of the numbers lies; 0 without numbers. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Returns milliseconds below a second, else seconds. */
export function waitWords(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  return `${(milliseconds / 1000).toLocaleString('en', { maximumFractionDigits: milliseconds < 10_000 ? 2 : 0 })} s`
}

export function partWords(part: number, whole: number, one: string): string {
  return `${numberWords(part)} of ${countWords(whole, one)}`
}
