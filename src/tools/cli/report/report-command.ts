import { type Command, Option } from 'commander'
import {
  type ContentType,
  DIMENSIONS,
  GRANULARITIES,
  type Granularity,
  type Question,
} from '../../video-service/analytics/report-question.ts'
import { orUsageError, readOpenPeriod, readPeriod } from '../output/period.ts'
import { machineTimeZone } from '../output/time-zone.ts'
import { nowSeconds, withService } from '../service/service.ts'
import {
  addCommand,
  addNotes,
  type CommandContext,
  type Definition,
  type Outcome,
  runCommand,
} from '../terminal/command.ts'
import { addAttendanceReport } from './attendance/attendance-command.ts'
import type { HasInvited } from './attendance/invited/people.ts'
import {
  addOutputOptions,
  assertOutputOptions,
  contentIds,
  type OutputOptions,
  withKeptRows,
} from './output-options.ts'
import { type ReportFormat, writeReport } from './write-report.ts'

interface ReportOptions extends OutputOptions {
  readonly content?: ContentType
  readonly id?: string[]
  readonly viewer?: string
  readonly by?: (typeof DIMENSIONS)[number] | 'summary'
  readonly granularity?: Granularity
}

const ABOUT = `
Times without an offset are in the time zone of this machine. --to with a date alone is the last second of that day. The
default period is the last 7 days (report viewers: all time). Each page of rows can take a minute. A stopped CSV or JSON
report in a file is continued by --resume, with the period of its first command. Other reports leave no file. In CSV, formulas start with an apostrophe and control characters are escaped, such as \\u001b.`

/** What these reports use of features. */
type Parts = object & HasInvited
/** Reports with options of their own. */
// biome-ignore format: one item a line
const OTHERS: readonly Definition<Parts>[] = [
  addAttendanceReport,
]

/** Adds `report …`, for the analytics API of the video service. */
export async function addReportCommands(group: Command, context: CommandContext<Parts>): Promise<void> {
  reportCommand(group, context, 'viewers', 'list every viewer', [
    'viewer-auth report viewers --viewer @example.com',
    'viewer-auth report viewers --last 24h --csv --output viewers.csv',
    'viewer-auth report viewers --last 4w --html viewers.html',
  ]).option('--viewer <TEXT>', 'only viewers whose identifier contains this text')
  reportCommand(group, context, 'views', 'list every watched part of a broadcast or video', [
    'viewer-auth report views --last 7d --html views.html',
    'viewer-auth report views --last 7d --csv --output views.csv',
    'viewer-auth report views --from 2026-11-20T18:00 --to 2026-11-20T20:00 --content live --id 1001',
  ])
  const series = [
    ['total-views', 'count views'],
    ['unique-devices', 'count devices'],
    ['authenticated-viewers', 'count signed-in viewers'],
  ] as const
  for (const [report, summary] of series) {
    reportCommand(group, context, report, summary, [
      `viewer-auth report ${report} --last 4w --html ${report}.html`,
      `viewer-auth report ${report} --last 4w --by location`,
      `viewer-auth report ${report} --from 2026-11-01 --to 2026-11-30 --json`,
    ]).addOption(
      new Option('--by <DIMENSION>', 'count by (default: summary, with --html day)').choices([
        'summary',
        ...DIMENSIONS,
      ]),
    )
  }
  reportCommand(group, context, 'peak-viewer-numbers', 'highest number of concurrent viewers', [
    'viewer-auth report peak-viewer-numbers --last 24h',
    'viewer-auth report peak-viewer-numbers --last 7d --html peaks.html',
    'viewer-auth report peak-viewer-numbers --from 2026-11-20 --to 2026-11-20 --granularity minute --content live',
  ]).addOption(new Option('--granularity <UNIT>', 'one number for each unit').choices(GRANULARITIES).default('hour'))
  for (const add of OTHERS) await add(group, context)
}

function reportCommand(
  group: Command,
  context: CommandContext,
  report: Question['report'],
  summary: string,
  examples: readonly string[],
): Command {
  const command = addNotes(addCommand(group, report, summary, examples), ABOUT)
    .addOption(new Option('--content <TYPE>', 'only live broadcasts or only videos').choices(['live', 'recorded']))
    .option('--id <IDS>', 'with --content: only these channels or videos, separated by commas', contentIds)
  return addOutputOptions(command).action((options: ReportOptions, command: Command) => {
    if (options.id !== undefined && options.content === undefined) {
      command.error('error: --id needs --content live or --content recorded')
    }
    assertOutputOptions(options, command)
    const question = orUsageError(command, () => questionOf(report, options))
    return runCommand(context, options.json, () => fetchReport(context, question, options))
  })
}

function fetchReport({ io }: CommandContext, question: Question, options: ReportOptions): Promise<Outcome> {
  const { html, output = html, excel = false, resume = false } = options
  const format = formatOf(options)
  return withKeptRows((onKept) =>
    withService(io, (service) =>
      writeReport(io, service, question, {
        format,
        output,
        isForExcel: excel,
        typed: options,
        isResumed: resume,
        onKept,
      }),
    ),
  )
}

function formatOf({ html, csv, json }: ReportOptions): ReportFormat {
  if (html !== undefined) return 'html'
  if (csv) return 'csv'
  return json ? 'json' : 'table'
}

function questionOf(report: Question['report'], options: ReportOptions): Question {
  const { content, id, viewer, granularity = 'hour' } = options
  const { by = options.html === undefined ? 'summary' : 'day' } = options
  const scope = { contentType: content, contentIds: id }
  const zone = machineTimeZone()
  if (report === 'viewers') {
    return { report, ...scope, period: readOpenPeriod(options, nowSeconds(), zone), viewerIdentifier: viewer }
  }
  const period = readPeriod(options, nowSeconds(), zone)
  switch (report) {
    case 'views':
      return { report, period, ...scope }
    case 'peak-viewer-numbers':
      return { report, period, ...scope, granularity }
    default:
      return { report, period, ...scope, dimension: by }
  }
}
