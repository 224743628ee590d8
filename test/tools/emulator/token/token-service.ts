import { createPublicKey, type KeyObject } from 'node:crypto'
import { describeTokenCheck } from '../../../../src/features/token/viewer-token/token-diagnosis.ts'
import type { LoggedRequest } from '../../../../src/tools/emulator/developer/request-log.ts'
import type { AlteredToken } from '../../../features/token/viewer-token/altered-tokens.ts'
import { encrypt, sign } from '../../../features/token/viewer-token/jose-tokens.ts'
import { CONTENT_KEY, ISSUED_AT, KID, SERVICE_KEY } from '../../../features/token/viewer-token/jwcrypto-vectors.ts'
import { type Service, startService } from '../player/service.ts'

const AUTH_URL = 'https://login.example/entry?tenant=a%20b#top'
export const PUBLIC_KEY = publicPem(CONTENT_KEY)
/** The public key of another channel or video. */
export const OTHER_KEY_PEM = publicPem(SERVICE_KEY)

/** A service whose key is the one of the vectors. */
export type TokenService = Awaited<ReturnType<typeof startTokenService>>

/** Starts an emulator at the second in which the vectors were issued. */
export async function startTokenService() {
  let now = ISSUED_AT
  const service = await startService({ nowSeconds: () => now })
  const pem = SERVICE_KEY.export({ type: 'pkcs8', format: 'pem' }).toString()
  service.database
    .prepare('INSERT INTO service_keys (kid, private_key, created_at_seconds) VALUES (?, ?, ?)')
    .run(KID, pem, now)
  return {
    ...service,
    /** Locks a channel or video with the second version of viewer authentication, without the REST API. */
    lock(type: 'live' | 'recorded', id: number, publicKey = PUBLIC_KEY) {
      service.database
        .prepare('INSERT OR REPLACE INTO viewer_auth VALUES (?, ?, ?, ?)')
        .run(type, id, AUTH_URL, publicKey)
    },
    clear() {
      service.clear()
      service.database.exec('DELETE FROM viewer_auth; DELETE FROM used_viewer_tokens')
    },
    setClock(seconds: number) {
      now = seconds
    },
  }
}

function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}

/** Makes a token with jose, without the code of `src`. No two tokens are the same text. */
export async function makeToken(subject = 'ada@example.com', issuedAtSeconds = ISSUED_AT): Promise<string> {
  return encrypt(await sign(JSON.stringify({ sub: subject, iat: issuedAtSeconds })))
}

/** Returns the explanation of a refusal up to its first number: some explanations count seconds. */
export function explanationOf(reason: AlteredToken['reason']): string {
  const check = { ok: false, reason, issuedAtSeconds: Number.NaN } as const
  return describeTokenCheck(check as Parameters<typeof describeTokenCheck>[0], ISSUED_AT).split('NaN')[0] ?? ''
}

export async function newestRequest(service: Pick<Service, 'request'>): Promise<LoggedRequest> {
  const answer = await service.request('/emulator/requests')
  const { requests } = (await answer.json()) as { requests: LoggedRequest[] }
  if (requests[0] === undefined) throw new Error('The log is empty')
  return requests[0]
}

/** Returns the settings that the page gives to its script. */
export async function settingsIn(answer: Response): Promise<Record<string, unknown>> {
  const escaped = /data-settings="([^"]*)"/.exec(await answer.text())?.[1] ?? '{}'
  const characters: Record<string, string> = { '&#34;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return JSON.parse(escaped.replaceAll(/&(#34|#39|lt|gt|amp);/g, (entity) => characters[entity] ?? ''))
}
