import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { compileCache } from '../compile-cache.ts'

const PROGRAM = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export type LoginProgram = Awaited<ReturnType<typeof startLoginProgram>>

export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs src/main.ts with only these settings in its environment, until it ends by itself. */
export function runLoginProgram(
  settings: Readonly<Record<string, string>>,
  options: { uid?: number; gid?: number; cwd?: string } = {},
) {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...compileCache, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (status, signal) => resolve({ status, signal, ...written }))
  })
  return { child, output: () => written.stdout + written.stderr, ended }
}

/** Starts the program. Resolves when it listens. */
export async function startLoginProgram(
  settings: Readonly<Record<string, string>>,
  options?: Parameters<typeof runLoginProgram>[1],
) {
  const { child, output, ended } = runLoginProgram(settings, options)
  /** Resolves with the output once it contains the text. */
  async function says(text: string): Promise<string> {
    let isOver = false
    const over = ended.then(() => {
      isOver = true
    })
    while (!output().includes(text)) {
      if (isOver) throw new Error(`The program ended without saying ${text}: ${output()}`)
      await Promise.race([once(child.stdout, 'data'), over])
    }
    return output()
  }
  const [, port] = /"port":(\d+)/.exec(await says('"started"')) ?? []
  return { child, port: Number(port), output, says, ended }
}
