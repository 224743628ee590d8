import completion from '@bomb.sh/tab/commander'
import { Command, CommanderError, Help } from 'commander'
import PACKAGE from '../../../package.json' with { type: 'json' }
import type { ToolFeature } from '../tool-feature.ts'
import {
  addBareCommand,
  addGroup,
  type CommandContext,
  messageOf,
  printFailure,
  type RootCommand,
} from './terminal/command.ts'
import type { CommandIo } from './terminal/io.ts'
import { loadAll } from './terminal/lazy.ts'

/** In the order of the help. */
const CORE: readonly RootCommand<ToolFeature>[] = [
  {
    name: 'viewers',
    summary: 'viewers who can sign in, where USER_STORE_URL says',
    load: async () => (await import('./viewers/viewers-command.ts')).addViewersCommands,
  },
  {
    name: 'sessions',
    summary: 'sessions of the login app, by SESSION_STORE_URL',
    load: async () => (await import('./viewers/sessions-command.ts')).addSessionsCommands,
  },
  {
    name: 'managers',
    summary: 'people of the page for managers; figures of the evening',
    load: async () => (await import('./manager/managers-command.ts')).addManagersCommands,
  },
  {
    name: 'watch',
    summary: 'the figures of the evening: in, waiting, refused, by the minute',
    beside: 'managers',
    declare: addBareCommand,
    load: async () => (await import('./manager/watch-command.ts')).addWatchCommand,
  },
  {
    name: 'secret',
    summary: 'secrets for the settings',
    load: async () => (await import('./settings/secret-command.ts')).addSecretCommands,
  },
  {
    name: 'config',
    summary: 'the settings of the app, the user store',
    load: async () => (await import('./settings/config-command.ts')).addConfigCommands,
  },
  {
    name: 'store',
    summary: 'the user store',
    beside: 'config',
    load: async () => (await import('./settings/store-command.ts')).addStoreCommands,
  },
  {
    name: 'setup',
    summary: 'ask for the settings, test them, write .env',
    declare: addBareCommand,
    load: async () => (await import('./setup/setup-command.ts')).addSetupCommand,
  },
  {
    name: 'response',
    summary: 'authentication responses: build and check them',
    load: async () => (await import('./response/response-command.ts')).addResponseCommands,
  },
  {
    name: 'token',
    summary: 'an access token or a kept login of the video service',
    declare: addBareCommand,
    load: async () => (await import('./service/access-token/token-command.ts')).addTokenCommand,
  },
  {
    name: 'login',
    summary: 'keep the login of a user of the video service in a file',
    beside: 'token',
    declare: addBareCommand,
    load: async () => (await import('./service/access-token/login-command.ts')).addLoginCommand,
  },
  {
    name: 'logout',
    summary: 'revoke the kept login, and remove its file',
    beside: 'token',
    declare: addBareCommand,
    load: async () => (await import('./service/access-token/login-command.ts')).addLogoutCommand,
  },
  {
    name: 'channel',
    summary: 'channels at the video service',
    load: async () => (await import('./service/channel-command.ts')).addChannelCommands,
  },
  {
    name: 'lock',
    summary: 'locks that send viewers to the login app',
    load: async () => (await import('./service/lock-command.ts')).addLockCommands,
  },
  {
    name: 'report',
    summary: 'reports on viewers and views, from the analytics API',
    load: async () => (await import('./report/report-command.ts')).addReportCommands,
  },
  {
    name: 'audit',
    summary: 'who signed in, who was refused and why, by the log',
    load: async () => (await import('./audit/audit-command.ts')).addAuditCommands,
  },
  {
    name: 'brand',
    summary: 'one page with every screen of an entry point',
    load: async () => (await import('./preview/preview-command.ts')).addBrandCommands,
  },
  {
    name: 'doctor',
    summary: 'check if viewers will get through, up to a sign-in',
    declare: addBareCommand,
    load: async () => (await import('./doctor/doctor-command.ts')).addDoctorCommand,
  },
  {
    name: 'backup',
    summary: 'copy the SQLite files, or put a copy back',
    declare: addBareCommand,
    load: async () => (await import('./backup/backup-command.ts')).addBackupCommand,
  },
  {
    name: 'restore',
    summary: 'replace the SQLite files of the settings by a backup',
    beside: 'backup',
    declare: addBareCommand,
    load: async () => (await import('./backup/backup-command.ts')).addRestoreCommand,
  },
  {
    name: 'support',
    summary: 'one file for support, without secrets',
    load: async () => (await import('./support/support-command.ts')).addSupportCommands,
  },
  {
    name: 'drill',
    summary: 'rehearse an event: a crowd signs in',
    declare: addBareCommand,
    load: async () => (await import('./drill/drill-command.ts')).addDrillCommand,
  },
]

/**
 * Runs one command and returns the exit status: 0 done, 1 refused or failed, 2 wrong usage.
 * @param args the arguments without the names of Node and the program.
 * @param features their commands follow those of the core in the help.
 */
export async function runCommandLine(
  args: readonly string[],
  io: CommandIo,
  features: readonly ToolFeature[],
): Promise<0 | 1 | 2> {
  const context: CommandContext<ToolFeature> = { io, features, status: 0 }
  const commands = [...CORE, ...features.flatMap((feature) => feature.commands ?? [])]
  const json = args.includes('--json')
  const isCompletion = args[0] === 'complete'
  try {
    const program = createProgram(io, commands, json)
    for (const { name, summary, declare = addGroup, load } of commands) {
      const command = declare(program, name, summary)
      if (!args.includes(name) && !isCompletion) continue
      await (await load())(command, context)
      const additions = await loadAll(features.map((feature) => feature.additions?.[name]))
      for (const add of additions) await add(command, context)
    }
    if (isCompletion) completion(program)
    await program.parseAsync(args, { from: 'user' })
    return context.status
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      printFailure(io, json, messageOf(error))
      return 1
    }
    if (error.exitCode === 0) return 0
    // Without --json, Commander has already printed its message.
    if (json) printFailure(io, json, error.message.replace(/^error: /, ''))
    return 2
  }
}

function createProgram(
  { stdout, stderr }: CommandIo,
  commands: readonly RootCommand<ToolFeature>[],
  json: boolean,
): Command {
  const namesBeside = (main: string) => commands.filter(({ beside }) => beside === main).map(({ name }) => name)
  /** True if the command has a line of its own in the help. A fork may lack the command beside it. */
  const hasLine = (name: string) => {
    const { beside } = commands.find((command) => command.name === name) ?? {}
    return beside === undefined || !commands.some((command) => command.name === beside)
  }
  const program = new Command('viewer-auth')
    .usage('COMMAND [--help]. Settings: the environment or .env.')
    .version(PACKAGE.version, '--version')
    .addHelpCommand(new Command('help').argument('[command]'))
    // The help fits a terminal of 24 lines and 80 columns.
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...namesBeside(command.name())].join(', '),
      visibleCommands: (command) => command.commands.filter((one) => command.parent !== null || hasLine(one.name())),
      visibleOptions: (command) => (command.parent === null ? [] : Help.prototype.visibleOptions(command)),
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => json || stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .showHelpAfterError('Use --help for usage.')
  return program
}
