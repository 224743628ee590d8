import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { readComposeFile } from '../container/compose-file.ts'
import { SETTINGS } from '../settings.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { freePort } from './free-port.ts'
import { isOpen } from './is-open.ts'

const PROGRAM = '/usr/bin/caddy'
const MISSING = `${PROGRAM} is missing. npm test installs it on Debian, as root. Otherwise: sudo apt-get install caddy`
const COMPOSE = fileURLToPath(new URL('../../compose.yaml', import.meta.url))
const START_MS = 60_000

/** The proxy of compose.yaml on a free port of the loopback addresses. */
export interface Proxy {
  readonly port: number
  /** Returns the log so far. It has no access log. */
  readonly output: () => string
}

/**
 * Starts Debian's Caddy with the command and the configuration of compose.yaml. Only the addresses differ: the proxy
 * and its two copies listen on free ports of 127.0.0.1. It ends with the test.
 * @param responseTimeout instead of the one in compose.yaml, to keep a test short.
 */
export async function startProxy(
  copies: readonly [Copy, Copy],
  { responseTimeout }: { responseTimeout?: string } = {},
): Promise<Proxy> {
  if (!existsSync(PROGRAM)) throw new Error(MISSING)
  const port = await freePort()
  const fallbackPort = await freePort()
  const { PLAYER_RETURN_URL, PLAYER_ORIGINS } = SETTINGS
  const environment = { PLAYER_RETURN_URL, PLAYER_ORIGINS, PUBLIC_URL: `http://127.0.0.1:${port}` }
  const { proxy } = readComposeFile(COMPOSE, environment).services
  const [program = '', ...args] = proxy?.command ?? []
  const configuration = caddyfileOf(proxy)
    .replace('login-1:3000', `127.0.0.1:${copies[0].port}`)
    .replace('login-2:3000', `127.0.0.1:${copies[1].port}`)
    .replaceAll(':8080', `:${fallbackPort}`)
    .replace('admin off', 'admin off\n  default_bind 127.0.0.1')
    .replace(/(response_header_timeout) (\S+)/, (_all, name, value) => `${name} ${responseTimeout ?? value}`)
  const folder = temporaryFolder()
  const child = spawn(program, args, {
    env: { PATH: '/usr/bin:/bin', HOME: folder, CADDYFILE: configuration },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const deadlineMs = performance.now() + START_MS
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) throw new Error(`Caddy did not start: ${output}`)
    await sleep(50)
  }
  return { port, output: () => output }
}

interface Copy {
  readonly port: number
}

function caddyfileOf(proxy: { environment: Readonly<Record<string, string>> } | undefined): string {
  const text = proxy?.environment.CADDYFILE
  if (text === undefined) throw new Error('compose.yaml has no configuration of the proxy')
  return text
}
