import type { Point, TimeRange } from '../../html-page/chart.ts'
import {
  type Figure,
  MOST_TABLE_ROWS,
  nothing,
  type PageCollector,
  type PageModel,
  type Section,
} from '../../html-page/page-model.ts'
import { nextOf, type TimeUnit, type TimeZone } from '../../output/time-zone.ts'
import { dayWords, monthWords, numberWords, readTime, timeWords } from '../../output/words.ts'
import type { LocalSeriesRow } from '../local-rows.ts'

const MOST_POINTS = 800

/** The report of the page, in words. */
export interface TimesWords {
  readonly title: string
  readonly several: string
  /** The total of the period in a sentence. */
  readonly summary: string
  readonly totals: readonly Figure[]
  /** False if the numbers must not be added up. */
  readonly isSum: boolean
}

interface Times {
  readonly points: readonly Point[]
  readonly together: number
  readonly unit: TimeUnit
  readonly several: string
  readonly range: TimeRange
  /** Words for the points that need them, by their time. */
  readonly marks: ReadonlyMap<number, string>
}

/**
 * Collects one number for each month, day or hour. Keeps up to 800 points; with more, each two neighbours become one
 * point with the higher value, so that peaks stay visible. The highest value is exact.
 * @param range the period of the report.
 */
export function timesPage(
  unit: TimeUnit,
  range: TimeRange,
  zone: TimeZone,
  { title, several, summary, totals, isSum }: TimesWords,
): PageCollector<LocalSeriesRow> {
  let points: Point[] = []
  let [count, together] = [0, 1]
  let highest: { timeMs: number; value: number } | null = null
  const marks = new Map<number, string>()
  const longer: number[] = []
  return {
    add(row) {
      const fromMs = readTime(row.point)
      const unmerged = { fromMs, toMs: nextOf(zone, unit, fromMs), values: [row.value] }
      const last = points.at(-1)
      if (together > 1 && last !== undefined && count % together !== 0)
        points[points.length - 1] = higher(last, unmerged)
      else points.push(unmerged)
      count += 1
      if (highest === null || row.value > highest.value) highest = { timeMs: fromMs, value: row.value }
      if (row.is_partial) marks.set(fromMs, ' (part)')
      if (row.has_running_views) longer.push(fromMs)
      if (points.length <= MOST_POINTS) return
      points = points.flatMap((two, index) => (index % 2 === 0 ? [higher(two, points[index + 1] ?? two)] : []))
      together *= 2
    },
    model(): PageModel {
      if (highest === null) return nothing(title)
      const when = periodWords(highest.timeMs, unit)
      return {
        title,
        summary: `${summary} Busiest ${unit}: ${numberWords(highest.value)}, ${when}.`,
        figures: [
          ...totals,
          { value: numberWords(highest.value), label: `${unit === 'day' ? 'on' : 'in'} the busiest ${unit}: ${when}` },
          { value: numberWords(count), label: `${count === 1 ? unit : `${unit}s`} with ${several}` },
        ],
        sections: [timesSection({ points, together, unit, several, range, marks })],
        notes: [
          ...(isSum ? [] : [`Do not add up the ${unit}s: one viewer or device can count in several of them.`]),
          ...partNotes(marks, unit),
          ...longer.map((timeMs) => longerNote(timeMs, unit, several)),
        ],
      }
    },
  }
}

function partNotes(marks: Times['marks'], unit: TimeUnit): string[] {
  if (marks.size === 0) return []
  const names = [...marks.keys()].map((timeMs) => periodWords(timeMs, unit)).join('; ')
  return [`Only a part of the ${unit} is in the period: ${names}.`]
}

function longerNote(timeMs: number, unit: TimeUnit, several: string): string {
  return `The clocks were put back: ${periodWords(timeMs, unit)} is longer than other ${unit}s, and was counted by itself. Its number also has ${several} whose view was running at its start.`
}

function timesSection({ points, together, unit, several, range, marks }: Times): Section {
  const by = together === 1 ? `by ${unit}` : `the highest value of each ${together} ${unit}s`
  // The first month or day can start before the period.
  const fromMs = Math.min(range.fromMs, points[0]?.fromMs ?? range.fromMs)
  const toMs = Math.max(range.toMs, points.at(-1)?.toMs ?? range.toMs)
  return {
    title: 'Over time',
    words: `${sentenceCase(several)}, ${by}.`,
    chart: { kind: 'columns', range: { fromMs, toMs }, points, unit: sentenceCase(several) },
    table:
      together > 1 || points.length > MOST_TABLE_ROWS
        ? null
        : {
            columns: [sentenceCase(unit), sentenceCase(several)],
            rows: points.map(({ fromMs: at, values: [value = 0] }) => [
              `${periodWords(at, unit)}${marks.get(at) ?? ''}`,
              value,
            ]),
          },
    legend: null,
    isHalf: false,
  }
}

function higher(a: Point, b: Point): Point {
  return { fromMs: a.fromMs, toMs: b.toMs, values: [Math.max(a.values[0] ?? 0, b.values[0] ?? 0)] }
}

function periodWords(timeMs: number, unit: TimeUnit): string {
  if (unit === 'hour') return timeWords(timeMs)
  return unit === 'day' ? dayWords(timeMs) : monthWords(timeMs)
}

export function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
