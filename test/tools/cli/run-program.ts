import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { compileCache } from '../../compile-cache.ts'

const program = fileURLToPath(new URL('../../../src/tools/cli/main.ts', import.meta.url))

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** The whole standard input; empty by default. */
  readonly stdin?: string | Uint8Array
  readonly env?: Record<string, string>
  readonly cwd: string
}

/** Runs the real program as a process, with nothing of this environment but its time zone. */
export async function runProgram(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { ended } = startProgram(args, options)
  return await ended
}

export function startProgram(
  args: readonly string[],
  { stdin = '', env = {}, cwd }: RunOptions,
): { child: ChildProcess; ended: Promise<Ended> } {
  const { TZ } = process.env
  const environment = { ...compileCache, ...(TZ !== undefined && { TZ }), ...env }
  const child = spawn(process.execPath, [program, ...args], { cwd, env: environment, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  child.stdin.on('error', () => {
    // A program that fails early closes its standard input. Its output tells why.
  })
  child.stdin.end(stdin)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (status) => resolve({ status, ...output }))
  })
  return { child, ended }
}
