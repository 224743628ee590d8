import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../servers/free-port.ts'
import { type BenchPart, inRounds } from './bench-part.ts'
import { measured, median } from './bench-row.ts'
import { npmScript, runCommandLine } from './command-line.ts'
import { openConnection } from './connection.ts'
import { getRequest } from './requests.ts'

const ROUNDS = 9
const RETRY_MS = 2
const LONGEST_START_MS = 15_000
const root = fileURLToPath(new URL('../..', import.meta.url))
/** Node looks for `.env` in the folder where it starts. The benchmark must not read yours. */
const scriptInRoot = (word: string) => (word.endsWith('.ts') ? join(root, word) : word.replace('=./', `=${root}`))

/** Measures the start of the login app to its first answer, and the start of the command line. */
export const start: BenchPart = {
  name: 'start',
  expectedSeconds: 15,
  async *rows(run) {
    const { folder, environment } = run.installation
    const bareAnswer = join(folder, 'bare-start.json')
    writeFileSync(bareAnswer, JSON.stringify({ status: 200, headers: [['Content-Length', '0']], body: '' }))
    const measure = async () => ({
      login: await millisToFirstAnswer(npmScript('start').map(scriptInRoot), environment, folder),
      bare: await millisToFirstAnswer([scriptInRoot('test/bench/serve-bare-http.ts'), bareAnswer], {}, folder),
      help: (await runCommandLine(['--help'], {})).elapsedSeconds * 1000,
    })
    // The first start fills the disk cache.
    await measure()
    const rounds = await inRounds(ROUNDS, run, 'Start', measure)
    yield {
      name: 'Start of the login app until its first answer',
      unit: 'ms',
      ...measured(rounds, ({ login }) => login),
      target: { atMost: 300 },
      note: `a bare node:http server: ${median(rounds.map(({ bare }) => bare)).toFixed(0)} ms`,
    }
    yield {
      name: 'viewer-auth --help',
      unit: 'ms',
      ...measured(rounds, ({ help }) => help),
      target: { atMost: 200 },
    }
  },
}

/** @throws Error if the program ends, or does not answer in time. */
async function millisToFirstAnswer(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<number> {
  const port = await freePort()
  const startedMs = performance.now()
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env, PORT: String(port) },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  try {
    while (performance.now() < startedMs + LONGEST_START_MS && child.exitCode === null) {
      try {
        const connection = await openConnection(port)
        await connection.exchange(getRequest(0, null))
        connection.close()
        return performance.now() - startedMs
      } catch {
        await sleep(RETRY_MS)
      }
    }
    throw new Error(`${args.join(' ')} did not answer`)
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}
