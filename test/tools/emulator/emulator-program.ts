import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../compile-cache.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export interface EmulatorProgram {
  readonly child: ChildProcess
  printed(): string
  /** Resolves with its address; rejects if it ends before. */
  readonly url: Promise<string>
  readonly ended: Promise<{ status: number | null; signal: NodeJS.Signals | null }>
}

/** Starts `npm run emulator` without npm. */
export function startEmulatorProgram(
  environment: Record<string, string>,
  args: readonly string[] = [],
): EmulatorProgram {
  const child = spawn(process.execPath, ['src/tools/emulator/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', EMULATOR_PORT: '0', ...compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const ended = once(child, 'close').then(() => ({ status: child.exitCode, signal: child.signalCode }))
  const url = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        const address = /at (http:\S+)\/\n/.exec(printed)?.[1]
        if (address !== undefined) resolve(address)
      })
    }
    void ended.then(() => reject(new Error(`The emulator ended: ${printed}`)))
  })
  url.catch(() => {})
  return { child, printed: () => printed, url, ended }
}
