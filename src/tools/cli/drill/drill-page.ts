import type { Point, TimeRange } from '../html-page/chart.ts'
import type { PageModel, Section } from '../html-page/page-model.ts'
import { countWords, nameWords, numberWords } from '../output/words.ts'
import type { DrillRecord } from './crowd/run-drill.ts'
import { clockWords } from './live-table.ts'
import type { OperatorCommand } from './operator-commands.ts'
import { recoveryMs } from './recovery.ts'
import { type Moment, timelineOf } from './timeline.ts'
import { type Check, percentile, waitWords } from './verdict.ts'

/** Puts a drill into words, tables and charts. The page names no viewer. */
export function drillPage(record: DrillRecord, checks: readonly Check[], planned: number): PageModel {
  const range = rangeOf(record)
  const moments = timelineOf(record)
  const waits = record.attempts.map(({ waitMs }) => waitMs)
  const longestMs = waits.reduce((most, wait) => Math.max(most, wait), 0)
  const failed = checks.filter(({ isMet }) => !isMet).length
  return {
    title: failed === 0 ? 'Drill passed' : 'Drill failed',
    summary:
      failed === 0
        ? 'All viewers got in, and no response went out without the right password.'
        : `${countWords(failed, 'check')} of ${checks.length} failed.`,
    figures: [
      { value: `${numberWords(record.signedIn)} of ${numberWords(planned)}`, label: 'viewers got in' },
      { value: waitWords(percentile(waits, 0.5)), label: 'median wait for an answer' },
      { value: waitWords(percentile(waits, 0.95)), label: 'of 95 % of the answers, at most' },
      { value: waitWords(longestMs), label: 'longest wait' },
      { value: numberWords(record.attempts.length), label: 'requests' },
    ],
    checks,
    sections: [answers(range, moments), ...commandSection(record, range), longestWaits(range, moments)],
    notes: [
      'A wait begins when a viewer wants to send a request, and ends when the whole answer is there.',
      'Wrong passwords that were refused with 401 are not in these charts.',
    ],
  }
}

/** Returns the times of the drill by the clock of this machine. */
export function rangeOf({ startedAtMs, endedMs }: DrillRecord): TimeRange {
  return { fromMs: startedAtMs, toMs: startedAtMs + Math.max(1_000, endedMs) }
}

function pointsOf(range: TimeRange, moments: readonly Moment[], valuesOf: (moment: Moment) => number[]): Point[] {
  return moments.map((moment) => ({
    fromMs: range.fromMs + moment.fromMs,
    toMs: Math.min(range.toMs, range.fromMs + moment.toMs),
    values: valuesOf(moment),
  }))
}

function answers(range: TimeRange, moments: readonly Moment[]): Section {
  const seconds = moments[0] === undefined ? 1 : (moments[0].toMs - moments[0].fromMs) / 1000
  const notIn = ({ askedToWait, unanswered, errors }: Moment) => askedToWait + unanswered + errors
  return {
    title: 'Viewers over time',
    words: `Requests in each ${seconds === 1 ? 'second' : `${seconds} seconds`}: those that got a response, and those that were refused or got no answer.`,
    chart: {
      kind: 'columns',
      range,
      points: pointsOf(range, moments, (moment) => [moment.passed, notIn(moment)]),
      unit: 'Requests',
    },
    table: {
      columns: ['Time', 'Got in', 'Told to wait', 'No answer', 'Errors', 'Median wait', 'Longest wait'],
      rows: moments.map((moment) => [
        ...[clockWords(moment.fromMs), moment.passed, moment.askedToWait, moment.unanswered, moment.errors],
        ...[waitWords(moment.medianWaitMs), waitWords(moment.longestWaitMs)],
      ]),
    },
    legend: ['Got in', 'Refused or no answer'],
    isHalf: false,
  }
}

function commandSection(record: DrillRecord, range: TimeRange): Section[] {
  if (record.commands.length === 0) return []
  const rows = record.commands.map((command) => ({ command, ...recoveryOf(record, command) }))
  return [
    {
      title: 'Commands and recovery',
      words: 'From the start of each command until sign-ins worked again.',
      chart: {
        kind: 'timelines',
        range,
        rows: rows.map(({ command, words, toMs }) => ({
          name: `${clockWords(command.startedMs ?? command.atMs)} ${nameWords(command.command)}`,
          aside: words,
          spans:
            command.startedMs === null
              ? []
              : [{ fromMs: range.fromMs + command.startedMs, toMs: range.fromMs + toMs, isLive: !command.isOutage }],
        })),
      },
      table: {
        columns: ['Time', 'Command', 'Exit status', 'Then'],
        rows: rows.map(({ command, words }) => [
          ...[clockWords(command.startedMs ?? command.atMs), nameWords(command.command)],
          ...[String(command.exitStatus ?? 'unknown'), words],
        ]),
      },
      legend: ['Sign-ins must work again', 'Outage until the next command'],
      isHalf: false,
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

function longestWaits(range: TimeRange, moments: readonly Moment[]): Section {
  return {
    title: 'Longest wait',
    words: 'The longest wait for an answer at each time.',
    chart: {
      kind: 'columns',
      range,
      points: pointsOf(range, moments, ({ longestWaitMs }) => [longestWaitMs / 1000]),
      unit: 'Seconds',
    },
    table: null,
    legend: null,
    isHalf: false,
  }
}
