import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandIo } from '../terminal/io.ts'
import type { Timetable } from './crowd/timetable.ts'

/** A command of the operator, such as the stop of a store. */
export interface PlannedCommand {
  readonly atMs: number
  readonly command: string
  /** True if the app cannot sign viewers in until the next command. */
  readonly isOutage: boolean
}

/** Times are in milliseconds since the start of the drill. Null: has not started, or has not ended. */
export interface OperatorCommand extends PlannedCommand {
  startedMs: number | null
  endedMs: number | null
  /** Null without an exit, as after a signal. */
  exitStatus: number | null
  /** The end of what a failed command wrote. */
  output: string
}

const MOST_OUTPUT_BYTES = 2_000

/**
 * Runs the commands one after another, each when it is due. A stop of the drill ends no running command, since half a
 * command would leave an unknown state. Resolves after the last one.
 */
export async function runCommands(
  commands: readonly OperatorCommand[],
  timetable: Timetable,
  env: CommandIo['env'],
  onChange: (command: OperatorCommand) => void,
): Promise<void> {
  for (const command of commands) {
    if (!(await timetable.until(command.atMs))) return
    command.startedMs = timetable.nowMs()
    onChange(command)
    const { exitStatus, output } = await runInShell(command.command, env)
    command.endedMs = timetable.nowMs()
    command.exitStatus = exitStatus
    command.output = exitStatus === 0 ? '' : output
    onChange(command)
  }
}

/**
 * Runs a command in the operator's shell. It has a process group of its own, so that a Ctrl-C at the terminal does not
 * reach it. Its output goes to a file: a program that it starts in the background keeps the output open.
 */
async function runInShell(
  command: string,
  env: CommandIo['env'],
): Promise<{ exitStatus: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'drill-'))
  const file = openSync(join(folder, 'output'), 'w+', 0o600)
  rmSync(folder, { recursive: true })
  try {
    const options = { shell: env.SHELL || true, detached: true, env } as const
    const child = spawn(command, { ...options, stdio: ['ignore', file, file] })
    const [exitStatus = null]: (number | null)[] = await once(child, 'exit')
    return { exitStatus, output: endOf(file) }
  } catch (error) {
    return { exitStatus: null, output: error instanceof Error ? error.message : String(error) }
  } finally {
    closeSync(file)
  }
}

function endOf(file: number): string {
  const { size } = fstatSync(file)
  const bytes = Buffer.alloc(Math.min(size, MOST_OUTPUT_BYTES))
  readSync(file, bytes, 0, bytes.length, size - bytes.length)
  return bytes.toString().trim()
}
