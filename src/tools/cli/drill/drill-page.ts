import type { PageModel, Section, TimesChart } from '../html-page/page-model.ts'
import { renderPage } from '../html-page/render-page.ts'
import { timelinesChart } from '../html-page/rows-chart.ts'
import type { TimeRange } from '../output/time-range.ts'
import { countWords, nameWords, numberWords } from '../output/words.ts'
import type { ReportSink } from '../terminal/sink.ts'
import type { DrillRecord } from './crowd/run-drill.ts'
import type { SignInForm } from './crowd/sign-in-form.ts'
import { clockWords } from './live-table.ts'
import type { OperatorCommand } from './operator-commands.ts'
import { type Check, percentile, waitWords } from './verdict/criteria.ts'
import { type Moment, timelineOf } from './verdict/moment.ts'
import { recoveryMs } from './verdict/recovery.ts'

/** Puts a drill into words, tables and charts. The page names no viewer. */
export function drillPage(
  record: DrillRecord,
  checks: readonly Check[],
  planned: number,
  { words, typed }: Pick<SignInForm, 'words' | 'typed'>,
): PageModel {
  const range = rangeOf(record)
  const moments = timelineOf(record)
  const waits = record.attempts.map(({ waitMs }) => waitMs)
  const longestMs = waits.reduce((most, wait) => Math.max(most, wait), 0)
  const failed = checks.filter(({ isMet }) => !isMet).length
  return {
    title: failed === 0 ? 'Drill passed' : 'Drill failed',
    summary:
      failed === 0
        ? `All viewers got in ${words}, and no response went out without the right ${typed}.`
        : `${countWords(failed, 'check')} of ${checks.length} failed.`,
    figures: [
      { value: `${numberWords(record.signedIn)} of ${numberWords(planned)}`, label: `viewers got in ${words}` },
      { value: waitWords(percentile(waits, 0.5)), label: 'median wait for an answer' },
      { value: waitWords(percentile(waits, 0.95)), label: 'of 95 % of the answers, at most' },
      { value: waitWords(longestMs), label: 'longest wait' },
      { value: numberWords(record.attempts.filter(({ kind }) => kind !== 'arrival').length), label: 'requests' },
    ],
    checks,
    sections: [answers(range, moments), ...commandSection(record, range), waitSection(range, moments)],
    notes: [
      'A wait begins when a viewer wants to send a request, and ends when the whole answer is there.',
      `Wrong ${typed}s that were refused with 401 are not in these charts.`,
    ],
  }
}

/** Writes a page about a drill at this address. @param command that ran the drill. */
export async function writePage(
  page: ReportSink,
  model: PageModel,
  record: Parameters<typeof rangeOf>[0],
  { origin, pathname }: URL,
  command: string,
): Promise<void> {
  const source = ` by viewer-auth ${command}`
  const about = { range: rangeOf(record), scope: `${origin}${pathname}`, source, nowMs: Date.now() }
  await page.write(await renderPage(model, about))
  await page.finish()
}

/** Returns the times of the drill by the clock of this machine. */
function rangeOf({ startedAtMs, endedMs }: Pick<DrillRecord, 'startedAtMs' | 'endedMs'>): TimeRange {
  return { fromMs: startedAtMs, toMs: startedAtMs + Math.max(1_000, endedMs) }
}

function timesChart(
  range: TimeRange,
  moments: readonly Moment[],
  columns: TimesChart['columns'],
  valuesOf: (moment: Moment) => number[],
): TimesChart {
  const rows = moments.map((moment) => ({
    fromMs: range.fromMs + moment.fromMs,
    toMs: Math.min(range.toMs, range.fromMs + moment.toMs),
    words: clockWords(moment.fromMs),
    values: valuesOf(moment),
  }))
  return { kind: 'times', timesTitle: 'Time', columns, range, rows }
}

function answers(range: TimeRange, moments: readonly Moment[]): Section {
  const seconds = moments[0] === undefined ? 1 : (moments[0].toMs - moments[0].fromMs) / 1000
  const columns = ['Got in', 'Told to wait', 'No answer', 'Errors'].map((title) => ({ title, draw: 'area' as const }))
  return {
    title: 'Viewers over time',
    words: `Requests in each ${seconds === 1 ? 'second' : `${seconds} seconds`}: those that got a response, and those that were refused or got no answer.`,
    chart: timesChart(range, moments, columns, ({ passed, askedToWait, unanswered, errors }) => [
      passed,
      askedToWait,
      unanswered,
      errors,
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

function waitSection(range: TimeRange, moments: readonly Moment[]): Section {
  const columns = ['Median wait in seconds', 'Longest wait in seconds'].map((title) => ({
    title,
    draw: 'line' as const,
  }))
  return {
    title: 'Waits',
    words: 'The median and the longest wait for an answer at each time.',
    chart: timesChart(range, moments, columns, ({ medianWaitMs, longestWaitMs }) => [
      medianWaitMs / 1000,
      longestWaitMs / 1000,
    ]),
  }
}
