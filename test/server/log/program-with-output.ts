import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'
import { compileCache } from '../../compile-cache.ts'
import { programSettings } from '../../login/login-program.ts'
import { freePort } from '../../servers/free-port.ts'

const PROGRAM = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** Starts the program with this descriptor as standard output. Resolves when it answers. */
export async function startWithOutput(
  stdout: number,
  settings: Readonly<Record<string, string>> = {},
  shellCommand: readonly string[] = [],
) {
  const port = await freePort()
  const env = { ...compileCache, ...programSettings(), PORT: String(port), ...settings }
  const [file = '', ...args] = [...shellCommand, process.execPath, PROGRAM]
  const child = spawn(file, args, { env, stdio: ['ignore', stdout, 'inherit'] })
  closeSync(stdout)
  onTestFinished(() => void child.kill('SIGKILL'))
  const origin = `http://127.0.0.1:${port}`
  await vi.waitFor(async () => expect((await fetch(`${origin}/health/live`)).status).toBe(200), { timeout: 30_000 })
  return {
    child,
    async signIn(username: string) {
      const body = new URLSearchParams({ username, password: 'wrong' })
      return (await fetch(`${origin}/sign-in`, { method: 'POST', body })).status
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const [status] = (await ended) as [number | null]
      return status
    },
  }
}
