import { addAbortSignal } from 'node:stream'
import { type Command, Option } from 'commander'
import { ConfigError } from '../../../errors.ts'
import { addPeriodOptions, orUsageError, type PeriodOptions, readOpenPeriod } from '../output/period.ts'
import { machineTimeZone } from '../output/time-zone.ts'
import { linesOfFile, linesOfStream } from '../security-log/log-lines.ts'
import { findOwnLog } from '../security-log/own-log.ts'
import { type EventFilter, type Reading, securityEvents, startReading } from '../security-log/security-events.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { collect } from '../terminal/option-values.ts'
import { openSink } from '../terminal/sink.ts'
import { counted, printable } from '../terminal/text.ts'
import { type AuditFormat, writeEvents } from './audit-formats.ts'

interface Options extends PeriodOptions {
  readonly json?: boolean
  readonly csv?: boolean
  readonly output?: string
  readonly viewer?: string
  readonly outcome?: readonly string[]
}

const ABOUT = `
Reads the lines about sign-ins that the login app wrote. Without a FILE, reads the security log and its rotated files.
A FILE may be the whole log, or compressed (.gz). "-" is standard input. Other lines are skipped and counted. Times
without an offset are in the time zone of this machine. The default is all time. In CSV, formulas start with an
apostrophe and control characters are escaped, such as \\u001b.`

/** Adds `audit export`. */
export function addAuditCommands(group: Command, context: CommandContext): void {
  const command = addCommand(group, 'export [FILE...]', 'list who signed in when, and who was refused and why', [
    'viewer-auth audit export --viewer ada@example.com',
    'viewer-auth audit export --last 4w --csv --output sign-ins.csv',
    'viewer-auth audit export --outcome wrong-credentials --outcome held-back security.log.2.gz security.log.1',
    'docker logs viewer-auth | viewer-auth audit export - --from 2026-11-20',
  ])
  addPeriodOptions(addNotes(command, ABOUT))
    .option('--viewer <USERNAME>', 'only events of this viewer, in upper or lower case')
    .option('--outcome <NAME>', 'only this outcome, such as signed-in or wrong-credentials; repeatable', collect)
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--output <FILE>', 'write to this file, and replace it when the export is complete')
    .action((files: string[], options: Options, command: Command) => {
      const filter = orUsageError(command, () => filterOf(options))
      const format = options.csv ? 'csv' : options.json ? 'json' : 'table'
      return runCommand(context, options.json, () => exportEvents(context.io, files, filter, options.output, format))
    })
}

async function exportEvents(
  io: CommandIo,
  files: readonly string[],
  filter: EventFilter,
  output: string | undefined,
  format: AuditFormat,
): Promise<Outcome> {
  using stop = stopOnInterrupt(io)
  const sources = files.length > 0 ? files : await ownLog(io)
  const reading = startReading()
  const events = securityEvents(batchesOf(io, sources, stop.signal), filter, reading)
  await using sink = await openSink(output, io, stop.signal)
  try {
    const written = await writeEvents(format, events, sink, output === undefined ? io.stdout : null)
    await sink.finish()
    io.stderr.write(`${summaryOf(written, sourcesText(sources), reading, filter)}\n`)
    return { ok: true }
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    throw error
  }
}

/** Returns the security log of the settings with its rotated files. */
async function ownLog({ env }: CommandIo): Promise<readonly string[]> {
  const log = await findOwnLog(env)
  if ('files' in log) return log.files
  throw new ConfigError(
    `There is no log to read: ${log.missing}. Name the files of the log, or pass the log on standard input: audit export -`,
  )
}

async function* batchesOf(io: CommandIo, sources: readonly string[], signal: AbortSignal) {
  for (const source of sources) {
    // Without the signal, Ctrl-C would wait for the next line.
    const batches = source === '-' ? linesOfStream(addAbortSignal(signal, io.stdin)) : linesOfFile(source)
    for await (const batch of batches) {
      signal.throwIfAborted()
      yield batch
    }
  }
}

/** Says how much was read, and what the export cannot contain. */
function summaryOf(
  written: string,
  sources: string,
  { skipped, lost, unnamed, outcomes }: Reading,
  filter: EventFilter,
): string {
  const unknown = filter.outcomes.filter((outcome) => !outcomes.has(outcome))
  return [
    `${written}, from ${sources}.`,
    skipped > 0 && `Skipped ${counted(skipped, 'line')} of other kinds.`,
    lost > 0 && `The app could not write ${counted(lost, 'line')} of this log.`,
    unnamed > 0 && `${counted(unnamed, 'repeated request')} without a name in the log may be of this viewer too.`,
    unknown.length > 0 &&
      `No line has the outcome ${unknown.map(printable).join(' or ')}. The outcomes are: ${[...outcomes].toSorted().map(printable).join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function sourcesText(sources: readonly string[]): string {
  return sources.every((source) => source === '-') ? 'standard input' : counted(sources.length, 'file')
}

function filterOf(options: Options): EventFilter {
  return { period: periodOf(options), viewer: options.viewer, outcomes: options.outcome ?? [] }
}

function periodOf(options: Options): EventFilter['period'] {
  const period = readOpenPeriod(options, Date.now() / 1000, machineTimeZone())
  if (period === undefined) return null
  const { from, to } = period
  return {
    fromMs: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
    // The period has the whole last second.
    toMs: to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) + 1_000,
  }
}
