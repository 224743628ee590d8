import { relative } from 'node:path'
import { styleText } from 'node:util'
import { EmulatorStartError } from '../companion.ts'
import { readDemoSettings } from '../settings.ts'
import { type RunningDemo, runDemo } from './run-demo.ts'

/** Variables that every program needs. Others are not passed on: they could be settings of a real installation. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'SystemRoot']

// Registered first: Ctrl-C must also stop programs that are still starting.
const stopAsked = new Promise<null>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(null))
})

// The output names the address and the passwords: without it, the demo is of no use.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  end(1, `The demo stops, because it cannot write to standard output (${code}).`),
)
process.stderr.on('error', () => {})

const settingsRead = readDemoSettings(process.env)
if (!settingsRead.ok) end(1, settingsRead.message)

process.stdout.write('Starting the login app and the emulated video service…\n')
const starting = runDemo(settingsRead.settings, inheritedEnvironment()).catch((error: unknown) =>
  end(1, error instanceof EmulatorStartError ? error.message : String(error)),
)
const demo = (await Promise.race([starting, stopAsked])) ?? end(0)
process.stdout.write(introduction(demo))
const message = await Promise.race([demo.died, stopAsked])
await demo.stop()
if (message !== null) end(1, `The login app stopped, so the demo stops too. ${message}`)
process.stdout.write('\nStopped.\n')
end(0)

function inheritedEnvironment(): Record<string, string> {
  const known = INHERITED.map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function introduction(demo: RunningDemo): string {
  const { pageUrl, safariUrl, serviceUrl, loginUrl, viewers, introductions, logFile } = demo
  const accounts = viewers.map(({ username, password }) => `  ${username.padEnd(22)}${styleText('bold', password)}`)
  return [
    '',
    styleText('bold', 'The demo is running. Open this page, press "Log in" and sign in with a name and its password:'),
    `  ${styleText(['bold', 'cyan'], pageUrl)}`,
    ...accounts,
    `In Safari, open ${safariUrl}`,
    '',
    ...introductions,
    styleText('bold', 'More to try is on the home page of the video service: other channels, sign-ins and commands.'),
    `  ${styleText(['bold', 'cyan'], serviceUrl)}`,
    '',
    `Login app: ${loginUrl}   log: ${relative('.', logFile)}`,
    'Press Ctrl-C to stop.',
    '',
  ].join('\n')
}

function end(status: number, complaint?: string): never {
  if (complaint !== undefined) process.stderr.write(`${complaint}\n`)
  process.exit(status)
}
