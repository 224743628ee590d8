import { type Command, Option } from 'commander'
import { STATES } from '../../../features/registration/book/registration.ts'
import { addCommand, addNotes, type CommandContext, runCommand } from '../../cli/terminal/command.ts'
import { wholeNumber } from '../../cli/terminal/option-values.ts'
import { changeAndPrint } from './change-registrations.ts'
import { exportRegistrations } from './export-registrations.ts'
import { listRegistrations } from './list-registrations.ts'
import { MAILS_PER_MINUTE, type Step } from './open-registrations.ts'

/** Of rows, or of mails in a minute. */
const MOST = 999_999
const MAILS = `The app sends the mails of a change, also after this command has ended. It sends codes before them.`

/** Adds `registrations …`: the guests who registered. */
export function addRegistrationsCommands(group: Command, context: CommandContext): void {
  const { io } = context
  const list = addCommand(group, 'list', 'list registrations, by address', [
    'viewer-auth registrations list --state waiting-for-approval',
    'viewer-auth registrations list --domain example.com --json',
  ])
  addFilter(list)
    .option('--after <ADDRESS>', 'begin after this address')
    .option('--limit <NUMBER>', 'the most rows', wholeNumber(1, MOST), 100)
    .action((options) => runCommand(context, options.json, () => listRegistrations(io, options)))
  addChange(group, context, 'approve', 'let guests watch, and tell them by mail', [
    'viewer-auth registrations approve ada@example.com',
    'viewer-auth registrations approve --all --domain example.com',
  ])
  addChange(group, context, 'refuse', 'refuse guests, and tell them by mail', [
    'viewer-auth registrations refuse eve@example.com',
  ])
  addChange(
    group,
    context,
    'cancel',
    'cancel registrations, with a mail: the next on the waiting list gets the place',
    ['viewer-auth registrations cancel ada@example.com'],
  )
  addChange(group, context, 'forget', 'delete registrations with all personal data, and keep their number', [
    'viewer-auth registrations forget ada@example.com',
  ])
  const exporting = addCommand(group, 'export', 'write registrations as CSV, also for attendance reports', [
    'viewer-auth registrations export --output registrations.csv',
    'viewer-auth registrations export --state approved --excel --output guests.csv',
  ])
  addFilter(exporting)
    .option('--excel', 'with a byte order mark, so that Excel reads UTF-8')
    .option('--output <FILE>', 'the file (default: standard output)')
    .action((options) => runCommand(context, options.json, () => exportRegistrations(io, options)))
}

function addFilter(command: Command): Command {
  return command
    .option('--entry-point <NAME>', 'the entry point, if several have a registration')
    .addOption(new Option('--state <STATE>', 'only this state').choices(STATES))
    .option('--domain <DOMAIN>', 'only addresses of this domain')
}

function addChange(
  group: Command,
  context: CommandContext,
  step: Step,
  summary: string,
  examples: readonly string[],
): void {
  const command = addCommand(group, `${step} [ADDRESS...]`, summary, examples)
  const isForAll = step === 'approve' || step === 'refuse'
  if (isForAll) command.option('--all', 'all who wait for approval')
  command
    .option('--domain <DOMAIN>', 'with --all: only addresses of this domain')
    .option('--entry-point <NAME>', 'the entry point, if several have a registration')
    .option('--per-minute <NUMBER>', 'the most mails in a minute', wholeNumber(1, MOST), MAILS_PER_MINUTE)
    .option('--yes', 'do not ask')
    .action((addresses: string[], options, self: Command) => {
      if (addresses.length > 0 === (options.all === true)) self.error('error: give addresses, or --all')
      if (options.domain !== undefined && !options.all) self.error('error: --domain needs --all')
      return runCommand(context, options.json, () => changeAndPrint(context.io, step, addresses, options))
    })
  addNotes(command, MAILS)
}
