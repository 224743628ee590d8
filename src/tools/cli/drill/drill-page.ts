import type { PageModel, Section, TimesChart } from '../html-page/page-model.ts'
import { renderPage } from '../html-page/render-page.ts'
import { timelinesChart } from '../html-page/rows-chart.ts'
import type { TimeRange } from '../output/time-range.ts'
import { countWords, nameWords, numberWords } from '../output/words.ts'
import type { Drill, DrillRecord, Mark } from './crowd/run-drill.ts'
import { clockWords } from './live-table.ts'
import type { OperatorCommand } from './operator-commands.ts'
import type { Rehearsal, Verdict } from './rehearsal.ts'
import { percentile, waitWords } from './verdict/criteria.ts'
import { type Moment, timelineOf } from './verdict/moment.ts'
import { recoveryMs } from './verdict/recovery.ts'

/** Renders a page with words, tables and charts about a drill. It names no viewer. */
export async function drillPage(
  record: DrillRecord,
  verdict: Verdict,
  { visits, marks, form }: Drill,
  { name, command, url }: Rehearsal,
): Promise<string> {
  const range = { fromMs: record.startedAtMs, toMs: record.startedAtMs + Math.max(1_000, record.endedMs) }
  const moments = timelineOf(record)
  const waits = record.attempts.map(({ waitMs }) => waitMs)
  const longestMs = waits.reduce((most, wait) => Math.max(most, wait), 0)
  const inside = record.visits.filter(({ gotInMs }) => gotInMs !== null).length
  const { checks, summary, figures, closeUp, notes } = verdict
  const failed = checks.filter(({ isMet }) => !isMet).length
  const chart = timesCharts(record, marks)
  const model: PageModel = {
    title: failed === 0 ? `${name} passed` : `${name} failed`,
    summary: failed === 0 ? summary : `${countWords(failed, 'check')} of ${checks.length} failed.`,
    figures: [
      {
        value: `${numberWords(inside)} of ${numberWords(visits.length)}`,
        label: `viewers got in ${form.words}`,
      },
      ...figures,
      { value: waitWords(percentile(waits, 0.5)), label: 'median wait for an answer' },
      { value: waitWords(percentile(waits, 0.95)), label: 'of 95 % of the answers, at most' },
      { value: waitWords(longestMs), label: 'longest wait' },
      { value: numberWords(record.attempts.filter(({ kind }) => kind !== 'arrival').length), label: 'requests' },
    ],
    checks,
    sections: [
      crowd(moments, chart),
      answers('Answers over time', moments, chart),
      ...(closeUp ? [answers(closeUp.title, timelineOf(record, closeUp.fromMs, closeUp.toMs), chart)] : []),
      ...commandSection(record, range),
      waitSection(moments, chart),
    ],
    notes: ['A wait begins when a viewer wants to send a request, and ends when the whole answer is there.', ...notes],
  }
  const source = ` by viewer-auth ${command}`
  return await renderPage(model, { range, scope: `${url.origin}${url.pathname}`, source, nowMs: Date.now() })
}

type Column = readonly [title: string, draw: 'area' | 'line', numberOf: (moment: Moment) => number]
type ChartOf = ReturnType<typeof timesCharts>

/** Returns a function that draws numbers over time. The table has the marks too: without scripts, it is all there is. */
function timesCharts({ startedAtMs }: DrillRecord, marks: readonly Mark[]) {
  const wordsOf = ({ fromMs, toMs }: Moment) =>
    [clockWords(fromMs), ...marks.flatMap(({ atMs, words }) => (atMs >= fromMs && atMs < toMs ? [words] : []))].join(
      ', ',
    )
  const rangeOf = (fromMs: number, toMs: number): TimeRange => ({
    fromMs: startedAtMs + fromMs,
    toMs: startedAtMs + toMs,
  })
  return (moments: readonly Moment[], columns: readonly Column[]): TimesChart => ({
    kind: 'times',
    timesTitle: 'Time',
    range: rangeOf(moments[0]?.fromMs ?? 0, moments.at(-1)?.toMs ?? 0),
    marks: marks.map(({ atMs, words }) => ({ atMs: startedAtMs + atMs, words })),
    columns: columns.map(([title, draw]) => ({ title, draw })),
    rows: moments.map((moment) => ({
      ...rangeOf(moment.fromMs, moment.toMs),
      words: wordsOf(moment),
      values: columns.map(([, , numberOf]) => numberOf(moment)),
    })),
  })
}

function crowd(moments: readonly Moment[], chart: ChartOf): Section {
  return {
    title: 'Viewers',
    words: 'Those who have come and are not in, and those who got in, at each time.',
    chart: chart(moments, [
      ['Waiting', 'area', ({ waiting }) => waiting],
      ['In', 'area', ({ inside }) => inside],
    ]),
  }
}

function answers(title: string, moments: readonly Moment[], chart: ChartOf): Section {
  const seconds = moments[0] === undefined ? 1 : (moments[0].toMs - moments[0].fromMs) / 1000
  return {
    title,
    words: `Requests in each ${seconds === 1 ? 'second' : `${seconds} seconds`}: those that got a response, and those that were refused or got no answer. The line has the viewers who come.`,
    chart: chart(moments, [
      ['Got in', 'area', ({ passed }) => passed],
      ['Held back', 'area', ({ held }) => held],
      ['Told to wait', 'area', ({ askedToWait }) => askedToWait],
      ['No answer', 'area', ({ unanswered }) => unanswered],
      ['Errors', 'area', ({ errors }) => errors],
      ['Came', 'line', ({ arrived }) => arrived],
    ]),
  }
}

function commandSection(record: DrillRecord, range: TimeRange): Section[] {
  if (record.commands.length === 0) return []
  const rows = record.commands.map((command) => ({ command, ...recoveryOf(record, command) }))
  return [
    {
      title: 'Commands and recovery',
      words: 'From the start of each command until sign-ins worked again.',
      chart: timelinesChart(
        range,
        rows.map(({ command, words, toMs }) => ({
          name: `${clockWords(command.startedMs ?? command.atMs)} ${nameWords(command.command)}`,
          aside: words,
          spans:
            command.startedMs === null
              ? []
              : [
                  {
                    fromMs: range.fromMs + command.startedMs,
                    toMs: range.fromMs + toMs,
                    layer: command.isOutage ? 1 : 0,
                  },
                ],
        })),
      ),
      table: {
        columns: ['Time', 'Command', 'Exit status', 'Then'],
        rows: rows.map(({ command, words }) => [
          clockWords(command.startedMs ?? command.atMs),
          nameWords(command.command),
          String(command.exitStatus ?? 'unknown'),
          words,
        ]),
      },
      legend: ['Sign-ins must work again', 'Outage until the next command'],
    },
  ]
}

function recoveryOf(record: DrillRecord, command: OperatorCommand): { words: string; toMs: number } {
  const { startedMs, endedMs, isOutage } = command
  if (startedMs === null || endedMs === null) return { words: startedMs === null ? 'not run' : 'not ended', toMs: 0 }
  const untilMs = record.commands[record.commands.indexOf(command) + 1]?.startedMs ?? record.endedMs
  if (isOutage) return { words: 'outage', toMs: untilMs }
  const ms = recoveryMs(record, command)
  if (ms === null) return { words: 'no sign-in after it', toMs: untilMs }
  return { words: ms === 0 ? 'sign-ins went on' : `recovered after ${waitWords(ms)}`, toMs: endedMs + ms }
}

function waitSection(moments: readonly Moment[], chart: ChartOf): Section {
  return {
    title: 'Waits',
    words: 'The median and the longest wait for an answer at each time.',
    chart: chart(moments, [
      ['Median wait in seconds', 'line', ({ medianWaitMs }) => medianWaitMs / 1000],
      ['Longest wait in seconds', 'line', ({ longestWaitMs }) => longestWaitMs / 1000],
    ]),
  }
}
