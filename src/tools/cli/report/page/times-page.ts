import type { Figure, PageModel, TimesChart } from '../../html-page/page-model.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { numberWords, timeWords } from '../../output/words.ts'
import { nextOf, startOf, type TimeUnit } from '../calendar.ts'
import type { LocalSeriesRow } from '../local-rows.ts'
import { readTime } from '../words.ts'
import { nothing, type PageCollector } from './page-collector.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' })

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

/**
 * Collects one number for each month, day or hour.
 * @param range the period of the report.
 */
export function timesPage(
  unit: TimeUnit,
  range: TimeRange,
  zone: string,
  { title, several, summary, totals, isSum }: TimesWords,
): PageCollector<LocalSeriesRow> {
  const rows: TimesChart['rows'][number][] = []
  let highest = { value: -1, when: '' }
  const parts: string[] = []
  const longer: string[] = []
  let hasForeignDays = false
  return {
    add({ point, value, is_partial, has_running_views }) {
      const fromMs = readTime(point)
      const when = periodWords(fromMs, unit)
      rows.push({
        fromMs,
        toMs: nextOf(zone, unit, fromMs),
        words: is_partial ? `${when} (part)` : when,
        values: [value],
      })
      if (value > highest.value) highest = { value, when }
      if (is_partial) parts.push(when)
      else if (startOf(zone, unit, fromMs) !== fromMs) hasForeignDays = true
      if (has_running_views) longer.push(when)
    },
    model(): PageModel {
      if (rows.length === 0) return nothing(title)
      const most = numberWords(highest.value)
      // The first month or day can start before the period.
      const fromMs = Math.min(range.fromMs, rows[0]?.fromMs ?? range.fromMs)
      const toMs = Math.max(range.toMs, rows.at(-1)?.toMs ?? range.toMs)
      const columns = [{ title: sentenceCase(several), draw: 'area' as const }]
      return {
        title,
        summary: `${summary} Busiest ${unit}: ${most}, ${highest.when}.`,
        figures: [
          ...totals,
          { value: most, label: `${unit === 'day' ? 'on' : 'in'} the busiest ${unit}: ${highest.when}` },
          { value: numberWords(rows.length), label: `${rows.length === 1 ? unit : `${unit}s`} with ${several}` },
        ],
        sections: [
          {
            title: 'Over time',
            words: `${sentenceCase(several)}, by ${unit}.`,
            chart: { kind: 'times', timesTitle: sentenceCase(unit), columns, range: { fromMs, toMs }, rows },
          },
        ],
        notes: [
          ...(isSum ? [] : [`Do not add up the ${unit}s: one viewer or device can count in several of them.`]),
          ...(parts.length === 0 ? [] : [`Only a part of the ${unit} is in the period: ${parts.join('; ')}.`]),
          ...(hasForeignDays ? [`The service counts by the ${unit}s of another time zone than this page.`] : []),
          ...longer.map(
            (when) =>
              `The clocks were put back: ${when} is longer than other ${unit}s, and was counted by itself. Its number also has ${several} whose view was running at its start.`,
          ),
        ],
      }
    },
  }
}

function periodWords(timeMs: number, unit: TimeUnit): string {
  if (unit === 'hour') return timeWords(timeMs)
  return (unit === 'day' ? DAY : MONTH).format(timeMs)
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
