import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../../../errors.ts'
import type { CommandIo } from '../terminal/io.ts'

const [PROGRAM, REQUIRED] = ['main.ts', 'require-node.cjs'].map((name) =>
  fileURLToPath(new URL(`../../../${name}`, import.meta.url)),
)
const READY_WITHIN_MS = 30_000
const STOPPED_WITHIN_MS = 10_000
const EVERY_ADDRESS = ['0.0.0.0', '::']

/**
 * Starts the login app for a check, and waits until it answers.
 * @returns a function that stops the app.
 * @throws ConfigError with the message of an app that ends.
 */
export async function startApp(env: CommandIo['env'], signal: AbortSignal): Promise<() => Promise<void>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
  const args = [`--require=${REQUIRED}`, `${PROGRAM}`]
  // In a group of its own: Ctrl-C stops this command, which then stops the app.
  const child = spawn(process.execPath, args, { env: given, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'exit')
  const said = text(child.stderr)
  async function stop(): Promise<void> {
    const late = setTimeout(kill, STOPPED_WITHIN_MS)
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await ended
    clearTimeout(late)
    process.off('exit', kill)
  }
  try {
    const host = !env.HOST || EVERY_ADDRESS.includes(env.HOST) ? '127.0.0.1' : env.HOST
    const isReady = await Promise.race([whenLive(`http://${host}:${env.PORT || 3000}`, signal), ended.then(() => null)])
    if (isReady) return stop
    const why = isReady === null ? (await said).trim() : `It does not answer within ${READY_WITHIN_MS / 1000} s.`
    throw new ConfigError(`The login app did not start for the check. ${why}`)
  } catch (error) {
    await stop()
    throw error
  }
}

async function whenLive(origin: string, signal: AbortSignal): Promise<boolean> {
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; await sleep(100, undefined, { signal })) {
    const answer = await fetch(`${origin}/health/live`, { signal }).catch(() => null)
    signal.throwIfAborted()
    await answer?.body?.cancel()
    if (answer?.ok) return true
  }
  return false
}
