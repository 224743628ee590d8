import { type Command, InvalidArgumentError, Option } from 'commander'
import { ConfigError } from '../../errors.ts'
import { type ContentType, DIMENSIONS, type Question } from '../../video-service/report-question.ts'
import { addCommand, addGroup, type CommandContext, runCommand } from '../command.ts'
import { nowSeconds, withService } from '../service/service.ts'
import { hasPeriod, type PeriodOptions, readPeriod } from './period.ts'
import { type ReportFormat, writeReport } from './write-report.ts'

interface CommonOptions extends PeriodOptions {
  readonly json?: boolean
  readonly csv?: boolean
  readonly output?: string
  readonly html?: string
  readonly content?: ContentType
  readonly id?: string[]
}
interface ReportOptions extends CommonOptions {
  readonly viewer?: string
  readonly finishedOnly?: boolean
  readonly insideOnly?: boolean
  readonly by?: (typeof DIMENSIONS)[number] | 'summary'
  readonly granularity?: 'hour' | 'minute'
}

const ABOUT = `
Times without an offset are those of this machine; a date alone after --to means its whole day. Without a period: the
last 7 days (report viewers: all time). An answer may take a minute a page; Ctrl-C ends it and leaves no file behind.
In CSV a text that a spreadsheet would take for a formula has an apostrophe before it, and control characters are
written out, as in \\u001b.`

/** `report …`: the analytics API of the video service. */
export function addReportCommands(program: Command, context: CommandContext): void {
  const group = addGroup(program, 'report', 'who watched what, from the analytics API of the video service')
  reportCommand(group, context, 'viewers', 'every viewer who was seen', [
    'viewer-auth report viewers --viewer @example.com',
    'viewer-auth report viewers --last 24h --csv --output viewers.csv',
    'viewer-auth report viewers --last 4w --html viewers.html',
  ])
    .option('--viewer <TEXT>', 'only viewers whose identifier holds this text')
    .option('--finished-only', 'leave out who is watching now')
  reportCommand(group, context, 'views', 'every part of a broadcast or video that was watched', [
    'viewer-auth report views --last 7d --html views.html',
    'viewer-auth report views --last 7d --csv --output views.csv',
    'viewer-auth report views --from 2026-11-20T18:00 --to 2026-11-20T20:00 --content live --id 1001',
  ])
    .option('--finished-only', 'leave out those that are watched now')
    .option('--inside-only', 'leave out those that began before the period or ended after it')
  const series = [
    ['total-views', 'how often something was watched'],
    ['unique-devices', 'on how many devices'],
    ['authenticated-viewers', 'by how many viewers who had signed in'],
  ] as const
  for (const [report, summary] of series) {
    reportCommand(group, context, report, summary, [
      `viewer-auth report ${report} --last 4w --by day`,
      `viewer-auth report ${report} --last 4w --by location --html ${report}.html`,
      `viewer-auth report ${report} --from 2026-11-01 --to 2026-11-30 --json`,
    ]).addOption(
      new Option('--by <DIMENSION>', 'one number for each').choices(['summary', ...DIMENSIONS]).default('summary'),
    )
  }
  reportCommand(group, context, 'peak-viewer-numbers', 'how many watched at once, at most', [
    'viewer-auth report peak-viewer-numbers --last 24h',
    'viewer-auth report peak-viewer-numbers --last 7d --html peaks.html',
    'viewer-auth report peak-viewer-numbers --from 2026-11-20 --to 2026-11-20 --granularity minute --content live',
  ]).addOption(new Option('--granularity <UNIT>', 'one number for each').choices(['hour', 'minute']).default('hour'))
}

function reportCommand(
  group: Command,
  context: CommandContext,
  report: Question['report'],
  summary: string,
  examples: readonly string[],
): Command {
  return addCommand(group, report, summary, examples)
    .addHelpText('after', ABOUT)
    .option('--last <PERIOD>', 'hours, days or weeks until now or --to: 24h, 7d, 4w')
    .option('--from <TIME>', 'begin of the period: 2026-11-20, 2026-11-20T18:00, 2026-11-20T18:00:00+01:00')
    .option('--to <TIME>', 'end of the period (default: now)')
    .addOption(new Option('--content <TYPE>', 'only live broadcasts or only videos').choices(['live', 'recorded']))
    .option('--id <IDS>', 'with --content: only these channels or videos, separated by commas', contentIds)
    .addOption(new Option('--csv', 'answer in CSV').conflicts('json'))
    .option('--output <FILE>', 'write to this file, which is replaced when the report is whole')
    .addOption(
      new Option('--html <FILE>', 'write a page with charts to this file, to look at, print or send on').conflicts([
        ...['csv', 'json', 'output'],
      ]),
    )
    .action((options: ReportOptions, command: Command) => {
      if (options.id !== undefined && options.content === undefined) {
        command.error('error: --id goes with --content live or --content recorded')
      }
      const question = askedRightly(command, () => questionOf(report, options))
      return runCommand(context, options.json, async () => {
        const { html, output = html } = options
        const format: ReportFormat = html !== undefined ? 'html' : options.csv ? 'csv' : options.json ? 'json' : 'table'
        return await withService(context.io, (service) =>
          writeReport(context.io, service, question, { format, output }),
        )
      })
    })
}

/** A period that is none is wrong usage, as any other option is that cannot be read. */
function askedRightly(command: Command, read: () => Question): Question {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) command.error(`error: ${error.message}`)
    throw error
  }
}

function questionOf(report: Question['report'], options: ReportOptions): Question {
  const { content, id, viewer, finishedOnly, insideOnly, by = 'summary', granularity = 'hour' } = options
  const scope = {
    ...(content === undefined ? {} : { contentType: content }),
    ...(id === undefined ? {} : { contentIds: id }),
    ...(finishedOnly ? { listUnfinishedSegments: false } : {}),
  }
  if (report === 'viewers') {
    const period = hasPeriod(options) ? { period: readPeriod(options, nowSeconds()) } : {}
    return { report, ...scope, ...period, ...(viewer === undefined ? {} : { viewerIdentifier: viewer }) }
  }
  const period = readPeriod(options, nowSeconds())
  switch (report) {
    case 'views':
      return { report, period, ...scope, ...(insideOnly ? { inclusiveRange: false } : {}) }
    case 'peak-viewer-numbers':
      return { report, period, ...scope, granularity }
    default:
      return { report, period, ...scope, dimension: by }
  }
}

function contentIds(text: string): string[] {
  if (!/^\d{1,15}(,\d{1,15})*$/.test(text)) throw new InvalidArgumentError('Ids are numbers separated by commas.')
  return text.split(',')
}
