import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { CLIENT, type ProviderOptions, startProvider } from '../../../../features/sso/start-provider.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import type { Fault } from '../faults/installation.ts'

type Settings = Readonly<Record<string, string>>
type Document = Record<string, unknown>

/** The findings of the doctor if nothing is wrong. */
export const NOT_TRIED = 'unknown sso-not-tried'

/** A real provider, and the settings of an app that it knows. */
export const withProvider = (
  options: Partial<ProviderOptions> = {},
  changed: Settings = {},
): Pick<Fault, 'settings'> => ({
  settings: async ({ PUBLIC_URL = '' }) => {
    const { issuer } = await startProvider({ redirectUri: `${PUBLIC_URL}/sso/callback`, signsIn: 'ada', ...options })
    return settingsFor(issuer, changed)
  },
})

export const settingsFor = (issuer: string, changed: Settings = {}) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT.clientId,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  ...changed,
})

export const discovering = (changed: Document) =>
  withProvider({ changeAnswer: (document, path) => (path === '/token' ? document : { ...document, ...changed }) })

/** Answers one path of the provider. */
export const answering = (path: string, answer: (res: ServerResponse, req: IncomingMessage) => unknown) =>
  withProvider({
    instead(req, res) {
      if (!req.url?.startsWith(path)) return false
      answer(res, req)
      return true
    },
  })

/** Sends the browser back with an error, as a provider does that knows the redirect URI. */
export const sendingBack = (error: string) =>
  answering('/auth', (res, { url }) => {
    const { searchParams } = new URL(url ?? '', 'http://provider')
    const answer = new URLSearchParams({ error, state: searchParams.get('state') ?? '' })
    res.writeHead(303, { location: `${searchParams.get('redirect_uri')}?${answer}` }).end()
  })

export const sayingError = (error: string) =>
  answering('/token', (res) =>
    res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error })),
  )

/** A provider whose clock differs. */
export const dated = (seconds: number, headers: Settings = {}): Pick<Fault, 'settings'> => ({
  settings: (all) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString()
    return withProvider({ headers: { Date: date, ...headers } }).settings?.(all) ?? {}
  },
})

/** A provider that knows a key of the app, and an app with this key or with another one. */
export function withKey({ isKnown, offered }: KeyOptions): Pick<Fault, 'settings'> {
  return {
    settings: (all) => {
      const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const known = newKey()
      const jwks = { keys: [{ ...known.publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] }
      const method = {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
      } as const
      const file = join(temporaryFolder(), 'key.pem')
      const { privateKey } = isKnown ? known : newKey()
      writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
      const changed = { OIDC_CLIENT_SECRET: '', OIDC_CLIENT_KEY_FILE: file }
      const changeAnswer = (document: Document) =>
        offered ? { ...document, token_endpoint_auth_signing_alg_values_supported: offered } : document
      return withProvider({ client: { ...method, jwks }, changeAnswer }, changed).settings?.(all) ?? {}
    },
  }
}

interface KeyOptions {
  readonly isKnown: boolean
  /** The algorithms for keys in the discovery document. Default: those that the provider accepts. */
  readonly offered?: readonly string[]
}
