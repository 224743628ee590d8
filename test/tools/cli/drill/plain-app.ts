import { existsSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildAuthenticationResponse } from '../../../../src/hash-lock/authentication-response.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { startService } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'

/** A request of a viewer, as the app received it. */
export interface PlainRequest {
  readonly kind: 'screen' | 'wrong' | 'right' | 'return'
  readonly username: string
  readonly headers: IncomingMessage['headers']
}

export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

export type PlainApp = Awaited<ReturnType<typeof startPlainApp>>

const SCREEN = '<form method="post"><input name="username"><input name="password" type="password"></form>'

/** Returns a redirect with a response that is valid for ten minutes. */
export function responseFor(username: string, secret: string = SETTINGS.HASH_SECRET): PlainAnswer {
  const response = buildAuthenticationResponse([['user', username]], Math.floor(Date.now() / 1000) + 600, secret)
  const location = `https://player.example/pass?hash=${encodeURIComponent(response)}`
  return { status: 303, headers: { location, 'set-cookie': `viewer=${username}; Path=/` } }
}

/** Starts an app with the requests and answers of the login app. `alter` makes it wrong. */
export async function startPlainApp(
  alter: (answer: PlainAnswer, request: PlainRequest) => PlainAnswer = (answer) => answer,
) {
  const password = 'PASSWORDMARKER right'
  /** The store is away while this file exists. */
  const awayFile = join(temporaryFolder(), 'away')
  const requests: PlainRequest[] = []
  const sockets = new Set<object>()
  const { origin } = await startService(async (req, res) => {
    if (req.url === '/health/ready') {
      const away = existsSync(awayFile) ? ['USER_STORE_URL'] : []
      res.writeHead(away.length === 0 ? 200 : 503).end(JSON.stringify({ away }))
      return
    }
    sockets.add(req.socket)
    const request = await read(req, password)
    requests.push(request)
    const right = request.kind === 'screen' || request.kind === 'wrong' ? null : responseFor(request.username)
    const usual = right ?? { status: request.kind === 'screen' ? 200 : 401, headers: {} }
    const isAway = request.kind !== 'screen' && existsSync(awayFile)
    const { status, headers } = alter(isAway ? { status: 503, headers: { 'retry-after': '1' } } : usual, request)
    res.writeHead(status, { 'content-type': 'text/html', ...headers })
    res.end(status === 200 ? SCREEN : isAway ? '<meta name="reason" content="store-down">' : '')
  })
  return { url: `${origin}/`, password, requests, awayFile, connections: () => sockets.size }
}

async function read(req: IncomingMessage, password: string): Promise<PlainRequest> {
  const form = new URLSearchParams(await text(req))
  const { headers } = req
  if (req.method === 'POST') {
    return {
      kind: form.get('password') === password ? 'right' : 'wrong',
      username: form.get('username') ?? '',
      headers,
    }
  }
  const [, username] = /viewer=([^;]+)/.exec(headers.cookie ?? '') ?? []
  return { kind: username === undefined ? 'screen' : 'return', username: username ?? '', headers }
}

/** No viewer mistypes or comes back. */
export const ONE_VISIT_EACH = ['--wrong', '0', '--returns', '0']

export interface DrillEnded {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** The names of the failed checks, but for the pace of the drill itself. */
  readonly failed: string[]
  readonly data: {
    readonly checks: readonly { name: string; isMet: boolean; text: string }[]
    readonly commands: readonly { exitStatus: number | null; startedMs: number; endedMs: number }[]
    readonly signInsPerSecond: { readonly highest: number; readonly average: number }
    readonly causes: readonly { name: string; answers: number; text: string }[]
    readonly timeline: readonly { passed: number; askedToWait: number; unanswered: number }[]
  }
}

/** Drills an app with `count` viewers within 0.3 s, or as `args` say. */
export async function drill(
  { url, password }: Pick<PlainApp, 'url' | 'password'>,
  args: readonly string[] = [],
  { count = 30, env = {} }: { count?: number; env?: Record<string, string> } = {},
): Promise<DrillEnded> {
  const cwd = temporaryFolder()
  const file = join(cwd, 'viewers.csv')
  const rows = Array.from({ length: count }, (_, index) => `viewer-${index + 1}@example.com,${password}`)
  writeFileSync(file, `username,password\n${rows.join('\n')}\n`)
  const ended = await runHere(['drill', '--json', '--url', url, '--viewers', file, '--over', '0.3s', ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HASH_SECRET: SETTINGS.HASH_SECRET, ...env },
  })
  const data = (ended.stdout === '' ? { checks: [] } : JSON.parse(ended.stdout)) as DrillEnded['data']
  const unmet = data.checks.filter(({ isMet }) => !isMet).map(({ name }) => name)
  // A busy machine makes the crowd late: verdict.test.ts tests that check, without a clock.
  const failed = unmet.filter((name) => name !== 'generator')
  return { ...ended, status: unmet.length > 0 && failed.length === 0 ? 0 : ended.status, data, failed }
}
