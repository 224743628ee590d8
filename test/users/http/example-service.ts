import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { HttpStoreSettings } from '../../../src/users/http/settings.ts'

const PROGRAM = fileURLToPath(new URL('../../../src/users/http/example-service.mjs', import.meta.url))

/** Starts the login service that customers copy, until the running test ends. */
export async function startExampleService(): Promise<HttpStoreSettings> {
  const token = 'a-long-random-token'
  const child = spawn(process.execPath, [PROGRAM, '0'], {
    env: { HTTP_STORE_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = line.toString().trim()
  return { kind: 'http', url, findUrl: new URL('/find', url).href, token, timeoutMs: 5_000, ca: null }
}
