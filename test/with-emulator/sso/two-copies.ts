import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { RunningProvider } from '../../../src/tools/emulator/sso/start-provider.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { programSettings, startLoginProgram } from '../../login/login-program.ts'
import type { LogLine } from '../../login/start-login-app.ts'

/** The steps of a sign-in, which take turns at the copies. All other requests take turns of their own. */
const STEPS = ['/', '/sso/start', '/sso/callback', '/sso/continue']

interface CopiesOptions {
  readonly port: number
  readonly login: string
  readonly sharedStoreUrl: string
  readonly playerOrigins: readonly string[]
  readonly playerReturnUrl: string
  readonly hasScript?: boolean | undefined
  readonly provider: RunningProvider
}

/** Starts two programs behind a proxy on the port, until the test ends. Returns their logs, one after the other. */
export async function startTwoCopies({
  port,
  login,
  sharedStoreUrl,
  playerOrigins,
  playerReturnUrl,
  hasScript = true,
  provider: {
    issuer,
    clients: [client],
  },
}: CopiesOptions): Promise<() => readonly LogLine[]> {
  const settings = {
    ...programSettings(),
    PUBLIC_URL: login,
    HASH_SECRET: ENTRY_POINT.secret,
    PLAYER_RETURN_URL: playerReturnUrl,
    PLAYER_ORIGINS: playerOrigins.join(),
    SESSION_STORE_URL: sharedStoreUrl,
    SCREEN_SCRIPT: hasScript ? 'on' : 'off',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client?.clientId ?? '',
    OIDC_CLIENT_SECRET: client?.secret ?? '',
  }
  const copies = await Promise.all([startLoginProgram(settings), startLoginProgram(settings)])
  const turns = { step: 0, other: 0 }
  const proxy = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', login)
    const turn = turns[STEPS.includes(pathname) ? 'step' : 'other']++
    const { method, url: path, headers } = req
    const forwarded = request({ port: copies[turn % 2]?.port, host: '127.0.0.1', method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    req.pipe(forwarded)
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const linesOf = (output: string) =>
    output.split('\n').flatMap((line) => (line.startsWith('{') ? JSON.parse(line) : []))
  return () => copies.flatMap(({ output }) => linesOf(output()) as LogLine[])
}
