import { Readable } from 'node:stream'
import { ConfigError } from '../../errors.ts'
import { captured, faultOf } from '../cli/captured-run.ts'
import type { CommandContext } from '../cli/command.ts'
import type { CommandIo } from '../cli/terminal/io.ts'

/** What a command printed with `--json`, or its fault. */
export type CommandResult =
  | { readonly ok: true; readonly data: unknown; readonly text: string }
  | { readonly ok: false; readonly fault: string }

export interface CommandRunner {
  /**
   * Runs a command of `viewer-auth` inside this process, with `--json`.
   * @param command fixed words and options. A value of a form may only be in one text with its option: `--option=value`.
   * @param names values of a form. They follow `--`, so that none of them is an option.
   */
  json(command: readonly string[], names?: readonly string[]): Promise<CommandResult>
  /** Runs a command as it is, and returns what it printed. */
  text(command: readonly string[]): Promise<CommandResult>
}

/** Creates the runner. @param run runs a command line, without a shell. */
export function createCommandRunner(run: CommandContext['run'], env: CommandIo['env']): CommandRunner {
  const io = () => ({
    env,
    stdin: Readable.from([]),
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt: () => () => {},
  })
  async function text(args: readonly string[]): Promise<CommandResult> {
    const { status, stdout, stderr } = await captured(run, args, io())
    if (status === 2) throw new Error(`Wrong usage of ${args.slice(0, 2).join(' ')}`)
    const isEmpty = stdout.trim() === ''
    // A partial failure prints a result, and has the status 1.
    if (status === 1 && isEmpty) return { ok: false, fault: faultOf(stderr) }
    return { ok: true, data: undefined, text: stdout }
  }
  return {
    text,
    async json(command, names = []) {
      const result = await text([...command, '--json', ...(names.length > 0 ? ['--', ...names] : [])])
      if (!result.ok) return result
      try {
        return { ...result, data: JSON.parse(result.text) }
      } catch (cause) {
        throw new ConfigError(`${command.slice(0, 2).join(' ')} printed no JSON`, { cause })
      }
    },
  }
}
