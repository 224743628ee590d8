import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { EmulatorStartError } from '../companion.ts'
import { closeServer, listen } from '../http/listen.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const READY_WITHIN_MS = 30_000
const STOPPED_WITHIN_MS = 10_000

/** All environment variables of a program. None come from a real installation. */
export type ProgramEnvironment = Readonly<Record<string, string>>

/** Starts the login app, as `startProgram` does. */
export function startLoginApp(environment: ProgramEnvironment, { port, logFile }: { port: number; logFile: string }) {
  return startProgram('src/main.ts', environment, { port, logFile, readyPath: '/health/ready' })
}

/**
 * Starts a separate program, and waits until it is ready.
 * @param logFile receives its log.
 * @param readyPath answers 2xx as soon as the program is ready.
 * @returns `died`, which resolves with the message of the program when it ends by itself, and a function that stops it.
 * @throws EmulatorStartError if the program ends at once, with its message, or if it does not become ready.
 */
export async function startProgram(
  file: string,
  environment: ProgramEnvironment,
  { port, logFile, readyPath }: { port: number; logFile: string; readyPath: string },
) {
  const child = runProgram(file, [], environment)
  child.stdout?.pipe(createWriteStream(logFile, { mode: 0o600 }))
  // The app must not become an orphan process.
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  let isStopping = false
  const died = messageAtEnd(child).then((message) => (isStopping ? '' : message))
  const stop = async () => {
    isStopping = true
    if (child.exitCode === null && child.signalCode === null) await terminate(child)
    process.off('exit', killWithUs)
  }
  const fault = await Promise.race([died, whenReady(`http://127.0.0.1:${port}${readyPath}`)])
  if (fault === null) return { died, stop }
  await stop()
  throw new EmulatorStartError(fault)
}

/**
 * Runs a command of the login app's command line.
 * @param input its standard input.
 * @returns its standard output.
 * @throws EmulatorStartError with the command's message if it fails.
 */
export async function runCommand(
  args: readonly string[],
  environment: ProgramEnvironment,
  input: string,
): Promise<string> {
  const child = runProgram('src/tools/cli/main.ts', args, environment)
  // The command may end before it reads its input.
  child.stdin?.on('error', () => {}).end(input)
  const output = child.stdout ? text(child.stdout) : ''
  const message = messageAtEnd(child)
  const printed = await output
  const said = await message
  if (child.exitCode === 0) return printed
  throw new EmulatorStartError(`Could not add the demo's viewers. ${said}`)
}

async function terminate(child: ChildProcess): Promise<void> {
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  clearTimeout(killTimer)
}

function runProgram(file: string, args: readonly string[], environment: ProgramEnvironment): ChildProcess {
  // A separate process group: Ctrl-C reaches only the demo, which then stops the app in order.
  return spawn(process.execPath, [file, ...args], { cwd: ROOT, env: { ...environment }, stdio: 'pipe', detached: true })
}

async function messageAtEnd(child: ChildProcess): Promise<string> {
  const [said] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')])
  return said.trim() || `${child.spawnargs[1]} ended with ${child.signalCode ?? `status ${child.exitCode}`}.`
}

/** Resolves with null when the app is ready, or with a sentence after the timeout. */
async function whenReady(address: string): Promise<string | null> {
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; await sleep(100)) {
    const answer = await fetch(address).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return null
  }
  return `A program of the demo was not ready within ${READY_WITHIN_MS / 1000} seconds.`
}

/**
 * Checks that a port is free on 127.0.0.1 and ::1. Browsers try both for `localhost`, so a program on the other address
 * would receive our requests.
 * @param port 0 picks any free port.
 * @param setting the name of the setting that chooses another port.
 * @returns the port.
 * @throws EmulatorStartError as `listen` does.
 */
export async function freePort(port: number, setting: string): Promise<number> {
  let found = port
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer()
    try {
      found = await listen(server, found, host, setting)
      await closeServer(server)
    } catch (error) {
      // A machine without IPv6 has no ::1.
      if (host === '127.0.0.1' || !/EADDRNOTAVAIL|EAFNOSUPPORT/.test(String(error))) throw error
    }
  }
  return found
}
