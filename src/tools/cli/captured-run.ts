import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { CommandContext } from './command.ts'

export interface CapturedRun {
  readonly status: 0 | 1 | 2
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command and returns what it printed. */
export async function captured(
  run: CommandContext['run'],
  args: readonly string[],
  io: CommandContext['io'],
): Promise<CapturedRun> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const texts = Promise.all([text(stdout), text(stderr)])
  const status = await run(args, { ...io, stdout, stderr })
  stdout.end()
  stderr.end()
  const [printed, said] = await texts
  return { status, stdout: printed, stderr: said }
}

/** Returns the fault that a command printed with `--json` or as text. */
export function faultOf(stderr: string): string {
  try {
    const { error }: { error: string } = JSON.parse(stderr)
    return error
  } catch {
    return stderr.trim().replace(/^Failed: /, '')
  }
}
