import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../compile-cache.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts `npm run emulator` without npm. `url` resolves when it listens, and rejects if it ends before. */
export function startEmulatorProgram(environment: Record<string, string>, args: readonly string[] = []) {
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
