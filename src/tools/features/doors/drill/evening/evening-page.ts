import { clockWords } from '../../../../cli/drill/live-table.ts'
import { type Check, percentile, waitWords } from '../../../../cli/drill/verdict/criteria.ts'
import type { PageModel, Section, TimesChart } from '../../../../cli/html-page/page-model.ts'
import type { TimeRange } from '../../../../cli/output/time-range.ts'
import { countWords, numberWords } from '../../../../cli/output/words.ts'
import type { EveningTimes } from './evening-plan.ts'
import { type EveningRecord, type Mark, marksOf, type WaveMoment, waveOf, wholeWave } from './run-evening.ts'

/** The part around the opening that is shown second by second. */
const BEFORE_MS = 10_000
const AFTER_MS = 30_000

/** Puts an evening into words, tables and charts. The page names no viewer. */
export function eveningPage(record: EveningRecord, checks: readonly Check[], times: EveningTimes): PageModel {
  const { visits, startedAtMs, endedMs } = record
  const opensMs = times.opensMs - startedAtMs
  const waited = visits.filter(({ waitedFromMs }) => waitedFromMs !== null)
  const inside = visits.filter(({ gotInMs }) => gotInMs !== null)
  const waits = waited.flatMap(({ gotInMs }) => (gotInMs === null ? [] : [Math.max(0, gotInMs - opensMs)]))
  const failed = checks.filter(({ isMet }) => !isMet).length
  const around = { fromMs: Math.max(0, opensMs - BEFORE_MS), toMs: Math.min(endedMs, opensMs + AFTER_MS) }
  const marks = marksOf(times, startedAtMs)
  const whole = wholeWave(record, opensMs)
  return {
    title: failed === 0 ? 'Evening passed' : 'Evening failed',
    summary:
      failed === 0
        ? 'No viewer got in before the doors opened or after the end, and all viewers got in between.'
        : `${countWords(failed, 'check')} of ${checks.length} failed.`,
    figures: [
      { value: `${numberWords(inside.length)} of ${numberWords(visits.length)}`, label: 'viewers got in' },
      { value: numberWords(waited.length), label: 'viewers waited for the opening' },
      { value: waitWords(percentile(waits, 0.99)), label: 'after the opening, 99 % of them were in the player' },
      { value: numberWords(record.attempts.length), label: 'requests' },
    ],
    checks,
    sections: [
      crowd(record, whole, marks),
      flows('Arrivals, admissions and returns', record, whole, marks),
      flows('The opening, second by second', record, waveOf(record, around.fromMs, around.toMs, 1000), marks),
    ],
    notes: [
      'The doors first stood at "first start". The operator moved them to "doors open" at "start moved".',
      'A viewer waits from the first answer that says that the event is not open yet, until the viewer is in the player.',
    ],
  }
}

function timesChart(
  { startedAtMs }: EveningRecord,
  moments: readonly WaveMoment[],
  marks: readonly Mark[],
  columns: readonly (readonly [title: string, draw: 'area' | 'line', numberOf: (moment: WaveMoment) => number])[],
): TimesChart {
  const range: TimeRange = {
    fromMs: startedAtMs + (moments[0]?.fromMs ?? 0),
    toMs: startedAtMs + Math.max(1_000, moments.at(-1)?.toMs ?? 0),
  }
  // The table has the marks too: without scripts, it is all there is.
  const wordsOf = ({ fromMs, toMs }: WaveMoment) =>
    [
      clockWords(Math.max(0, fromMs)),
      ...marks.flatMap(({ atMs, words }) => (atMs >= fromMs && atMs < toMs ? [words] : [])),
    ].join(', ')
  return {
    kind: 'times',
    timesTitle: 'Time',
    range,
    marks: marks.map(({ atMs, words }) => ({ atMs: startedAtMs + atMs, words })),
    columns: columns.map(([title, draw]) => ({ title, draw })),
    rows: moments.map((moment) => ({
      fromMs: startedAtMs + moment.fromMs,
      toMs: startedAtMs + moment.toMs,
      words: wordsOf(moment),
      values: columns.map(([, , numberOf]) => numberOf(moment)),
    })),
  }
}

function crowd(record: EveningRecord, moments: readonly WaveMoment[], marks: readonly Mark[]): Section {
  return {
    title: 'Viewers over the evening',
    words: 'The viewers who wait for the opening, and those who got in, at each time.',
    chart: timesChart(record, moments, marks, [
      ['Waiting', 'area', ({ waiting }) => waiting],
      ['Got in', 'area', ({ inside }) => inside],
    ]),
  }
}

function flows(title: string, record: EveningRecord, moments: readonly WaveMoment[], marks: readonly Mark[]): Section {
  const seconds = moments[0] === undefined ? 1 : Math.max(1, Math.round((moments[0].toMs - moments[0].fromMs) / 1000))
  return {
    title,
    words: `Viewers in each ${seconds === 1 ? 'second' : `${seconds} seconds`}.`,
    chart: timesChart(record, moments, marks, [
      ['Arrived', 'line', ({ arrived }) => arrived],
      ['Got in', 'line', ({ admitted }) => admitted],
      ['Came back', 'line', ({ returned }) => returned],
      ['Refused after the end', 'line', ({ refusedAfterEnd }) => refusedAfterEnd],
    ]),
  }
}
