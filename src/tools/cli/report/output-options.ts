import { type Command, InvalidArgumentError, Option } from 'commander'
import { addPeriodOptions, type PeriodOptions } from '../output/period.ts'
import { messageOf, type Outcome } from '../terminal/command.ts'

/** The options of all reports. */
export interface OutputOptions extends PeriodOptions {
  readonly json?: boolean
  readonly csv?: boolean
  readonly excel?: boolean
  readonly output?: string
  readonly resume?: boolean
  readonly html?: string
}

/** Adds the options for the period, format and file of a report. */
export function addOutputOptions(command: Command): Command {
  return addPeriodOptions(command)
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--excel', 'with --csv: a byte order mark, so that Excel reads UTF-8')
    .option('--output <FILE>', 'write to this file, and replace it when the report is complete')
    .option('--resume', 'with --csv or --json, and --output: continue an interrupted report')
    .addOption(
      new Option('--html <FILE>', 'write a page with charts to this file').conflicts([...['csv', 'json', 'output']]),
    )
}

/** Ends the command as wrong usage if the options do not fit together. */
export function assertOutputOptions({ csv, json, excel, output, resume }: OutputOptions, command: Command): void {
  if (excel && !csv) command.error('error: --excel needs --csv')
  if (resume && (output === undefined || !(csv || json))) {
    command.error('error: --resume needs --output, and --csv or --json')
  }
}

/** Does the work. If it fails after a page was kept, the failure says how to continue. */
export async function withKeptRows(work: (onKept: () => void) => Promise<Outcome>): Promise<Outcome> {
  let isKept = false
  const onKept = () => {
    isKept = true
  }
  const outcome = await work(onKept).catch((error: unknown): Outcome => ({ ok: false, fault: messageOf(error) }))
  if (outcome.ok || !isKept) return outcome
  const fault = outcome.fault.replace(/[^.]$/, '$&.')
  return { ok: false, fault: `${fault} The rows so far are kept. To continue, run the same command with --resume.` }
}

/** Reads the ids of channels or videos in an option. */
export function contentIds(text: string): string[] {
  if (!/^\d{1,15}(,\d{1,15})*$/.test(text)) throw new InvalidArgumentError('Ids must be numbers, separated by commas.')
  return text.split(',')
}
