import { Command, CommanderError } from 'commander'
import { type CommandContext, messageOf, printFailure } from './command.ts'
import { addDoctorCommand } from './doctor/doctor-command.ts'
import { addDrillCommand } from './drill/drill-command.ts'
import { addReportCommands } from './report/report-command.ts'
import { addChannelCommands } from './service/channel-command.ts'
import { addLockCommands } from './service/lock-command.ts'
import { addTokenCommand } from './service/token-command.ts'
import { addConfigCommands } from './settings/config-command.ts'
import { addResponseCommands } from './settings/response-command.ts'
import { addSecretCommands } from './settings/secret-command.ts'
import type { CommandIo } from './terminal/io.ts'
import { addSessionsCommands } from './viewers/sessions-command.ts'
import { addViewersCommands } from './viewers/viewers-command.ts'

/**
 * Runs one command and returns the exit status: 0 done, 1 refused or failed, 2 wrong usage.
 * @param args the arguments without the names of Node and the program.
 */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<0 | 1 | 2> {
  let status: 0 | 1 = 0
  const program = createProgram({
    io,
    setStatus: (value) => {
      status = value
    },
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    // Commander has already printed its message or help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    printFailure(io, args.includes('--json'), messageOf(error))
    return 1
  }
}

function createProgram(context: CommandContext): Command {
  const { stdout, stderr } = context.io
  const program = new Command('viewer-auth')
    .description('Manage the viewers of the login app, and its channels, locks and reports at the video service.')
    .usage('COMMAND')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .showHelpAfterError('Use --help for usage.')
    .addHelpText(
      'after',
      [
        '',
        'From a checkout or in the container: npm run -s viewer-auth -- COMMAND',
        'Exit status: 0 done, 1 refused or failed, 2 wrong usage. Settings come from the environment or the file .env.',
      ].join('\n'),
    )
  addViewersCommands(program, context)
  addSessionsCommands(program, context)
  addSecretCommands(program, context)
  addConfigCommands(program, context)
  addResponseCommands(program, context)
  addTokenCommand(program, context)
  addChannelCommands(program, context)
  addLockCommands(program, context)
  addReportCommands(program, context)
  addDoctorCommand(program, context)
  addDrillCommand(program, context)
  return program
}
