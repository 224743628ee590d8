import { Command, CommanderError, Help } from 'commander'
import { addBareCommand, addGroup, type CommandContext, messageOf, printFailure } from './command.ts'
import type { CommandIo } from './terminal/io.ts'

/** Adds options, commands and help to a command that is declared. */
type Definition = (command: Command, context: CommandContext) => void

interface RootCommand {
  readonly name: string
  readonly summary: string
  readonly declare: typeof addGroup
  /** Loads the code of the command, only if the command is among the arguments: `--help` takes half the time. */
  readonly load: () => Promise<Definition>
}

/** In the order of the help. */
const COMMANDS: readonly RootCommand[] = [
  {
    name: 'viewers',
    summary: 'viewers who can sign in, stored where USER_STORE_URL says',
    declare: addGroup,
    load: async () => (await import('./viewers/viewers-command.ts')).addViewersCommands,
  },
  {
    name: 'sessions',
    summary: 'sessions of the login app, stored where SESSION_STORE_URL says',
    declare: addGroup,
    load: async () => (await import('./viewers/sessions-command.ts')).addSessionsCommands,
  },
  {
    name: 'managers',
    summary: 'people who may use the page for managers',
    declare: addGroup,
    load: async () => (await import('./manager/managers-command.ts')).addManagersCommands,
  },
  {
    name: 'codes',
    summary: 'access codes and tickets for people without an account',
    declare: addGroup,
    load: async () => (await import('./access-codes/codes-command.ts')).addCodesCommands,
  },
  {
    name: 'watch',
    summary: 'the figures of the evening: in, waiting, refused, by the minute',
    declare: addBareCommand,
    load: async () => (await import('./manager/watch-command.ts')).addWatchCommand,
  },
  {
    name: 'secret',
    summary: 'secrets for the settings',
    declare: addGroup,
    load: async () => (await import('./settings/secret-command.ts')).addSecretCommands,
  },
  {
    name: 'config',
    summary: 'settings of the app',
    declare: addGroup,
    load: async () => (await import('./settings/config-command.ts')).addConfigCommands,
  },
  {
    name: 'store',
    summary: 'the user store',
    declare: addGroup,
    load: async () => (await import('./settings/store-command.ts')).addStoreCommands,
  },
  {
    name: 'setup',
    summary: 'ask for the settings, test them, write .env, check the whole way',
    declare: addBareCommand,
    load: async () => (await import('./setup/setup-command.ts')).addSetupCommand,
  },
  {
    name: 'response',
    summary: 'authentication responses: build and check them',
    declare: addGroup,
    load: async () => (await import('./response/response-command.ts')).addResponseCommands,
  },
  {
    name: 'token',
    summary: 'print an access token of the video service',
    declare: addBareCommand,
    load: async () => (await import('./service/access-token/token-command.ts')).addTokenCommand,
  },
  {
    name: 'login',
    summary: 'keep the login of a user of the video service in a file',
    declare: addBareCommand,
    load: async () => (await import('./service/access-token/login-command.ts')).addLoginCommand,
  },
  {
    name: 'logout',
    summary: 'revoke the kept login, and remove its file',
    declare: addBareCommand,
    load: async () => (await import('./service/access-token/login-command.ts')).addLogoutCommand,
  },
  {
    name: 'channel',
    summary: 'channels at the video service',
    declare: addGroup,
    load: async () => (await import('./service/channel-command.ts')).addChannelCommands,
  },
  {
    name: 'lock',
    summary: 'locks that send viewers of a channel or video to the login app',
    declare: addGroup,
    load: async () => (await import('./service/lock-command.ts')).addLockCommands,
  },
  {
    name: 'report',
    summary: 'reports on viewers and views, from the analytics API',
    declare: addGroup,
    load: async () => (await import('./report/report-command.ts')).addReportCommands,
  },
  {
    name: 'audit',
    summary: 'who signed in, and who was refused and why, by the security log',
    declare: addGroup,
    load: async () => (await import('./audit/audit-command.ts')).addAuditCommands,
  },
  {
    name: 'brand',
    summary: 'one page with every screen of an entry point, at all sizes',
    declare: addGroup,
    load: async () => (await import('./preview/preview-command.ts')).addBrandCommands,
  },
  {
    name: 'doctor',
    summary: 'check if viewers will get through, from settings to a sign-in',
    declare: addBareCommand,
    load: async () => (await import('./doctor/doctor-command.ts')).addDoctorCommand,
  },
  {
    name: 'doors',
    summary: 'show or move when an event opens and closes',
    declare: addBareCommand,
    load: async () => (await import('./doors/doors-command.ts')).addDoorsCommand,
  },
  {
    name: 'registrations',
    summary: 'guests who registered: list, approve, refuse, export',
    declare: addGroup,
    load: async () => (await import('./registration/registrations-command.ts')).addRegistrationsCommands,
  },
  {
    name: 'backup',
    summary: 'copy the SQLite files of the settings while the app runs',
    declare: addBareCommand,
    load: async () => (await import('./backup/backup-command.ts')).addBackupCommand,
  },
  {
    name: 'restore',
    summary: 'replace the SQLite files of the settings by a backup',
    declare: addBareCommand,
    load: async () => (await import('./backup/backup-command.ts')).addRestoreCommand,
  },
  {
    name: 'support',
    summary: 'one file for support, without secrets',
    declare: addGroup,
    load: async () => (await import('./support/support-command.ts')).addSupportCommands,
  },
  {
    name: 'drill',
    summary: 'rehearse an event: a crowd signs in, also while stores are away',
    declare: addBareCommand,
    load: async () => (await import('./drill/drill-command.ts')).addDrillCommand,
  },
]

/**
 * Runs one command and returns the exit status: 0 done, 1 refused or failed, 2 wrong usage.
 * @param args the arguments without the names of Node and the program.
 */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<0 | 1 | 2> {
  const context: CommandContext = { io, status: 0, run: runCommandLine }
  try {
    const program = createProgram(io)
    for (const { name, summary, declare, load } of COMMANDS) {
      const command = declare(program, name, summary)
      if (args.includes(name)) (await load())(command, context)
    }
    await program.parseAsync(args, { from: 'user' })
    return context.status
  } catch (error) {
    // Commander has already printed its message or help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    printFailure(io, args.includes('--json'), messageOf(error))
    return 1
  }
}

function createProgram({ stdout, stderr }: CommandIo): Command {
  const program = new Command('viewer-auth')
    .usage('COMMAND [--help]. Settings: the environment or .env.')
    .helpCommand(false)
    // The help fits a terminal of 30 lines and 80 columns.
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      visibleOptions: (command) => (command.parent === null ? [] : Help.prototype.visibleOptions(command)),
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .showHelpAfterError('Use --help for usage.')
  return program
}
