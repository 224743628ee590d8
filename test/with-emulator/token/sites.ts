import { onTestFinished } from 'vitest'
import type { TokenEntryPoint } from '../../../src/features/token/fields.ts'
import { openServiceKeyCache } from '../../../src/features/token/issuer/service-key-cache.ts'
import { createTokenIssuer, tokenQueueOptions } from '../../../src/features/token/issuer/token-issuers.ts'
import { buildViewerToken } from '../../../src/features/token/viewer-token/viewer-token.ts'
import { parseAllowedAddress } from '../../../src/hash-lock/return-address.ts'
import { createQueue } from '../../../src/server/work-queue.ts'
import type { LoggedRequest } from '../../../src/tools/emulator/developer/request-log.ts'
import { tokenEntryPoint } from '../../features/token/entry-point.ts'
import { tokensFrom } from '../../features/token/start-token-app.ts'
import { ADA, type LoginApp, type LoginAppOptions, startLoginApp } from '../../login/start-login-app.ts'
import { startSite } from '../../login/start-site.ts'
import type { Certificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'
import { startTls } from '../../servers/tls.ts'
import { startService } from '../../tools/emulator/player/service.ts'
import { PUBLIC_KEY } from '../../tools/emulator/token/token-service.ts'
import { closedAddress } from '../../tools/video-service/test-service.ts'
import type { Viewer } from '../viewer.ts'

const CHANNEL = 1001
const CONTENT = `embed/${CHANNEL}`
const QUIET = { info: () => {}, warn: () => {} }

export interface TokenSitesOptions {
  readonly entryPoint?: Partial<TokenEntryPoint>
  /** For https at the login app. */
  readonly certificate?: Certificate | undefined
  /** Starts the login app. Default: with passwords. */
  readonly startApp?: (options: AppOptions) => Promise<StartedApp>
  /** The clock of the service and of the login app. Default: of this machine. */
  readonly now?: () => number
}

export type AppOptions = LoginAppOptions & {
  readonly publicUrl: string
  readonly port: number
  readonly entryPoints: readonly [TokenEntryPoint]
}

/** `issuer` is the origin of the provider, with single sign-on. */
export type StartedApp = Pick<LoginApp, 'lines'> & { readonly issuer?: string }

/**
 * Starts the customer's page at 127.0.0.3, the emulated video service at 127.0.0.1 and the login app at localhost, until
 * the test ends. To a browser they are three sites. With single sign-on, the provider at 127.0.0.2 is the fourth.
 */
export async function startTokenSites({
  entryPoint,
  certificate,
  startApp = startLoginApp,
  now = () => Date.now() / 1000,
}: TokenSitesOptions = {}) {
  let aheadSeconds = 0
  const nowSeconds = () => now() + aheadSeconds
  const service = await startService({ nowSeconds })
  onTestFinished(() => service.close())
  const { url } = service.emulator
  const page = await startSite(pageWith(url), {}, '127.0.0.3')
  const port = await freePort()
  const login = certificate ? `https://localhost:${await startTls(port, certificate)}` : `http://localhost:${port}`
  const keys = await openKeys(`${url}/viewer-auth-public-key.json`)
  const queue = createQueue(tokenQueueOptions())
  const app = await startApp({
    publicUrl: login,
    port,
    nowSeconds,
    features: tokensFrom((entry) => createTokenIssuer(entry, keys, queue, nowSeconds)),
    entryPoints: [
      {
        ...tokenEntryPoint({
          refAddresses: [parseAllowedAddress(`${url}/embed/`), parseAllowedAddress(`${url}/chat/`)],
        }),
        // Not the player: its own frame comes to the login app.
        playerOrigins: [page],
        ...entryPoint,
      },
    ],
  })
  /** Replaces the public key of the channel at the service. */
  const setContentKey = (publicKey: string) =>
    void service.database
      .prepare('INSERT OR REPLACE INTO viewer_auth VALUES (?, ?, ?, ?)')
      .run('live', CHANNEL, `${login}/`, publicKey)
  setContentKey(PUBLIC_KEY)
  return {
    pageOf: (content: string) => `${page}/${content}`,
    hasLoginButton: false,
    service: url,
    login,
    passed: `${url}/${CONTENT}?vt=`,
    ...(app.issuer !== undefined && { issuer: app.issuer }),
    outcomes: () => app.lines.flatMap(({ outcome }) => outcome ?? []),
    /** Makes a token of Ada for an embed, issued so many seconds ago. */
    makeToken: (ageSeconds = 0) =>
      buildViewerToken(
        ADA.username,
        { contentKey: tokenEntryPoint().contentKey, serviceKey: keys.newest() },
        nowSeconds() - ageSeconds,
      ),
    async countRefusedTokens() {
      const answer = await service.request('/emulator/requests')
      const { requests } = (await answer.json()) as { requests: LoggedRequest[] }
      return requests.filter(({ verdict }) => verdict === 'refused').length
    },
    setContentKey,
    /** The service accepts the old key for so long, and the login app keeps the old key. */
    async rotateServiceKey(oldKeySeconds: number) {
      await service.post('/emulator/service-keys', { old_key_seconds: oldKeySeconds })
    },
    /** The login app fetches the keys of the service, as at its start. */
    fetchServiceKeys: keys.fetch,
    passSeconds(seconds: number) {
      aheadSeconds += seconds
    },
  }
}

function pageWith(service: string) {
  return (path: string) =>
    `<!doctype html><title>Customer</title><iframe allow="autoplay" width="640" height="480" src="${service}${path}"></iframe>`
}

/** The keys of the service, as the login app has them from its last start. */
async function openKeys(url: string) {
  let cache = await openServiceKeyCache(url, QUIET)
  onTestFinished(() => cache.close())
  return {
    newest: () => cache.newest(),
    refetch: () => cache.refetch(),
    async fetch(service: 'here' | 'away' = 'here') {
      cache.close()
      cache = await openServiceKeyCache(service === 'here' ? url : String(await closedAddress()), QUIET)
    },
  }
}

/** Types Ada's name and a password, and presses the button. */
export async function signIn(viewer: Viewer, password = ADA.password): Promise<void> {
  await viewer.type('#username', ADA.username)
  await viewer.type('#password', password)
  await viewer.press('#sign-in .primary')
}
