import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type ClientAuthMethod, type ClientMetadata, interactionPolicy, type JWK } from 'oidc-provider'
import { onTestFinished, vi } from 'vitest'

export const CLIENT = { clientId: 'viewer-auth', secret: 'CLIENTSECRETMARKER-52c1' }

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

export interface ProviderOptions {
  readonly redirectUri: string
  readonly client?: Partial<ClientMetadata>
  /** The ways in which clients may authenticate themselves. */
  readonly authMethods?: readonly ClientAuthMethod[]
  /** False to keep the claims for the user info endpoint. */
  readonly isIdTokenFull?: boolean
  /** The account that is signed in at once. Null for a page with one button for each account. */
  readonly signsIn: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly port?: number
  /** Answers in place of the provider, unless it returns false. */
  readonly instead?: (req: IncomingMessage, res: ServerResponse) => boolean
  /** Changes the discovery document, and the answer of the token endpoint. */
  readonly changeAnswer?: (document: Record<string, unknown>, path: string) => object
}

/** Starts a certified provider in this process until the test ends. It has the accounts `ada` and `bob`. */
export async function startProvider(options: ProviderOptions) {
  const accounts = new Map<string, Record<string, unknown>>([
    [
      'ada',
      { preferred_username: 'ada@example.com', email: 'ada@example.com', email_verified: true, groups: ['gold'] },
    ],
    ['bob', { preferred_username: 'bob@example.com', email: 'bob@example.com', email_verified: false }],
  ])
  let isAway = false
  let lastRequest = new URLSearchParams()
  let answer: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => res.end()
  const server = createServer((req, res) => {
    for (const [name, value] of Object.entries(options.headers ?? {})) res.setHeader(name, value)
    const url = new URL(req.url ?? '/', 'http://unused')
    if (isAway) return void res.writeHead(503).end()
    if (options.instead?.(req, res)) return
    if (url.pathname === '/auth') lastRequest = url.searchParams
    const { changeAnswer } = options
    if (['/.well-known/openid-configuration', '/token'].includes(url.pathname) && changeAnswer) {
      changeJson(res, (document) => changeAnswer(document, url.pathname))
    }
    answer(req, res)
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  async function openWithKey(kid: string, key = generateKeyPair('RS256', { extractable: true })): Promise<void> {
    const { privateKey } = await key
    const jwk = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid }
    const provider = createProvider(issuer, accounts, jwk, options)
    const callback = provider.callback()
    answer = (req, res) => {
      if (req.url?.startsWith('/interaction/')) void interact(provider, accounts, req, res, options.signsIn)
      else void callback(req, res)
    }
  }
  await openWithKey('test', signingKey)
  return {
    issuer,
    /** The claims of each account. Changes count at once. */
    accounts,
    /** The parameters of the last authorization request. */
    lastRequest: () => lastRequest,
    /** Answers every request with 503, like a provider that is away. */
    setAway: (value: boolean) => {
      isAway = value
    },
    /** Signs with a new key from now on. All sessions end. */
    changeKey: () => openWithKey('new'),
  }
}

function changeJson(res: ServerResponse, change: (document: Record<string, unknown>) => object): void {
  const end = res.end.bind(res) as (text: string) => ServerResponse
  res.end = ((text: string) => {
    const changed = JSON.stringify(change(JSON.parse(text)))
    res.setHeader('Content-Length', Buffer.byteLength(changed))
    return end(changed)
  }) as ServerResponse['end']
}

function createProvider(
  issuer: string,
  accounts: ReadonlyMap<string, Record<string, unknown>>,
  jwk: JWK,
  { redirectUri, client, isIdTokenFull = true, authMethods = AUTH_METHODS }: ProviderOptions,
): Provider {
  const claimNames = ['preferred_username', 'email_verified', 'groups', 'tid', 'hasgroups', 'seat', '_claim_names']
  const policy = interactionPolicy.base()
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  // It warns that it is not for production.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        ...client,
      },
    ],
    // A short ID token has the claims of the scope openid only.
    claims: isIdTokenFull
      ? { openid: ['sub', ...claimNames], profile: ['name'], email: ['email'] }
      : { openid: ['sub'], profile: claimNames, email: ['email'] },
    clientAuthMethods: [...authMethods],
    conformIdTokenClaims: !isIdTokenFull,
    cookies: { keys: ['a key of this test'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    // Its own refuses loopback addresses.
    fetch: (address, { dispatcher: _dispatcher, ...options } = {}) => fetch(address, options),
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) as { sub: string } }),
    renderError(ctx, { error, error_description: text }) {
      ctx.body = `${error}: ${text}`
    },
    interactions: { policy, url: (_ctx, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [jwk] },
    async loadExistingGrant(ctx) {
      const { accountId } = ctx.oidc.session ?? {}
      if (accountId === undefined) return undefined
      const grant = new ctx.oidc.provider.Grant({ clientId: ctx.oidc.client?.clientId ?? '', accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
  })
  warn.mockRestore()
  provider.on('server_error', (_ctx, error) => console.error(error))
  return provider
}

/** The first key of every provider, with the id "test". */
export const signingKey = generateKeyPair('RS256', { extractable: true })

/** Signs an account in, or shows a page with a button for each account, and one that refuses. */
async function interact(
  provider: Provider,
  accounts: ReadonlyMap<string, unknown>,
  req: IncomingMessage,
  res: ServerResponse,
  signsIn: string | null,
): Promise<void> {
  const chosen = signsIn ?? new URL(req.url ?? '/', 'http://unused').searchParams.get('account')
  if (chosen === 'nobody') {
    return void (await provider.interactionFinished(req, res, { error: 'access_denied' }))
  }
  if (chosen !== null) {
    return void (await provider.interactionFinished(req, res, { login: { accountId: chosen }, select_account: {} }))
  }
  const buttons = [...accounts.keys(), 'nobody'].map(
    (name) => `<button id="${name}" name="account" value="${name}">${name}`,
  )
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.end(`<!doctype html><title>Provider</title><form>${buttons.join('</button>')}</button></form>`)
}
