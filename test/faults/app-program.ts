import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { compileCache } from '../compile-cache.ts'
import { freePort } from '../servers/free-port.ts'
import { OPERATOR, visit } from './visit.ts'

const PROGRAM = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const START_MS = 60_000
const STOP_MS = 25_000

/** A running copy of the login app. */
export type AppProgram = Awaited<ReturnType<typeof startApp>>

export interface AppOptions {
  readonly settings: Readonly<Record<string, string>>
  /** By default a free port. */
  readonly port?: number
  /** A file descriptor; by default a pipe that the test reads. */
  readonly stdout?: number
  /** A command that runs the program, with its arguments. */
  readonly wrapper?: readonly string[]
}

/** Starts `node src/main.ts`. Resolves when it answers: its log may be unreadable. */
export async function startApp({ settings, stdout, wrapper = [], ...options }: AppOptions) {
  const port = options.port ?? (await freePort())
  const [command = '', ...args] = [...wrapper, process.execPath, PROGRAM]
  const child = spawn(command, args, {
    env: { PATH: '/usr/bin:/bin', ...compileCache, ...settings, PORT: String(port) },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = once(child, 'exit')
  await untilAnswering(child, port, () => output)
  const endWith = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    const isOver = exited.then(() => true)
    if (!(await Promise.race([isOver, sleep(STOP_MS, false, { ref: false })]))) throw new Error('The app does not end')
    return child.exitCode
  }
  return {
    port,
    pid: Number(child.pid),
    output: () => output,
    stop: () => endWith('SIGTERM'),
    kill: async () => void (await endWith('SIGKILL')),
  }
}

async function untilAnswering(child: ChildProcess, port: number, output: () => string): Promise<void> {
  const giveUpMs = performance.now() + START_MS
  while ((await visit(port, 'live', OPERATOR)).outcome !== 'live') {
    if (child.exitCode !== null) throw new Error(`The app ended: ${output()}`)
    if (performance.now() > giveUpMs) throw new Error(`The app does not answer: ${output()}`)
    await sleep(50)
  }
}
