import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import { CLIENT, signingKey } from '../start-provider.ts'
import type { SsoApp } from '../start-sso.ts'

export const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const KEYS = generateKeyPair('RS256', { extractable: true })

/** A provider that signs the logout tokens of a test. */
export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>

export interface IssuerOptions {
  /** Default: the origin. */
  readonly issuer?: string
  readonly discovery?: Readonly<Record<string, unknown>>
}

/** Starts a provider that has nothing but a discovery document and keys. */
export async function startIssuer({ issuer: named, discovery }: IssuerOptions = {}) {
  let isAway = false
  let keyReadings = 0
  const server = createServer(async (req, res) => {
    if (req.url === '/jwks') keyReadings += 1
    if (isAway) return void res.writeHead(503).end()
    const jwk = { ...(await exportJWK((await KEYS).publicKey)), alg: 'RS256', kid: 'k', use: 'sig' }
    const document = {
      issuer,
      authorization_endpoint: `${origin}/auth`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      ...discovery,
    }
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify(req.url === '/jwks' ? { keys: [jwk] } : document))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = named ?? origin
  let tokens = 0
  return {
    origin,
    /** The claims of a genuine logout token, with the changes. Undefined removes a claim. */
    claims(changes?: Readonly<Record<string, unknown>>): JWTPayload {
      tokens += 1
      const iat = Math.floor(Date.now() / 1000)
      const times = { iat, exp: iat + 120 }
      const whom = { sub: 'ada', sid: 's1', jti: `token-${tokens}` }
      return { iss: issuer, aud: CLIENT.clientId, ...times, ...whom, events: { [EVENT]: {} }, ...changes }
    },
    sign: async (claims: JWTPayload, header?: Readonly<Record<string, unknown>>) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'logout+jwt', ...header })
        .sign((await KEYS).privateKey),
    setAway: (value: boolean) => {
      isAway = value
    },
    /** How often the keys were asked for. */
    keyReadings: () => keyReadings,
  }
}

/** Returns the public key as a client knows it, for a forgery. */
export async function publicKeyOf(): Promise<Uint8Array> {
  const { n = '' } = await exportJWK((await KEYS).publicKey)
  return new TextEncoder().encode(n)
}

let tokens = 0

/** Signs a logout token of the provider of an app. Without changes, all sessions of ada end. */
export async function logoutTokenOf(
  { provider }: Pick<SsoApp, 'provider'>,
  changes: object = {},
  key?: CryptoKey,
): Promise<string> {
  tokens += 1
  const iat = Math.floor(Date.now() / 1000)
  const whom = { iss: provider.issuer, aud: CLIENT.clientId, sub: 'ada' }
  const claims = { ...whom, iat, exp: iat + 120, jti: `t${tokens}`, events: { [EVENT]: {} }, ...changes }
  const header = { alg: 'RS256', kid: 'test', typ: 'logout+jwt' }
  return new SignJWT(claims).setProtectedHeader(header).sign(key ?? (await signingKey).privateKey)
}
