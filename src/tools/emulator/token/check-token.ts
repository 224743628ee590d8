import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { parseContentPublicKey } from '../../../features/token/viewer-token/content-key.ts'
import { checkViewerToken } from '../../../features/token/viewer-token/token-check.ts'
import { describeTokenCheck } from '../../../features/token/viewer-token/token-diagnosis.ts'
import { TOKEN_LIFETIME_SECONDS } from '../../../features/token/viewer-token/viewer-token.ts'
import type { Component } from '../player/content.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { ServiceKeys } from './service-keys.ts'

/** `explanation` is a sentence for the request log, without the token. */
export type TokenResult =
  | { readonly ok: true; readonly viewer: string; readonly explanation: string }
  | { readonly ok: false; readonly explanation: string }

/**
 * @param vt the decoded query parameter; any value, an array if it is repeated.
 * @param publicKey of the channel or video, in PEM form.
 * @param components where the viewer wants to use the token.
 */
export type CheckToken = (vt: unknown, publicKey: string, components: readonly Component[]) => Promise<TokenResult>

/** Returns a function that checks viewer tokens, and accepts each token once for a component. */
export function tokenChecker({ database, nowSeconds }: ServiceDeps, serviceKeys: ServiceKeys): CheckToken {
  const use = openUsedTokens(database)
  return async (vt, publicKey, components) => {
    if (vt === undefined) return { ok: false, explanation: 'The viewer has no token yet.' }
    if (typeof vt !== 'string') return { ok: false, explanation: 'Refused: vt is in the address more than once.' }
    const keys = { serviceKeys: await serviceKeys.accepted(), contentKey: parseContentPublicKey(publicKey) }
    const now = nowSeconds()
    const check = await checkViewerToken(vt, keys, now)
    if (!check.ok) return { ok: false, explanation: describeTokenCheck(check, now) }
    const usedAt = use(vt, components, check.issuedAtSeconds)
    if (usedAt !== null) {
      return {
        ok: false,
        explanation: `Refused: used before at the ${COMPONENT_NAME[usedAt]}. A reload needs a new token.`,
      }
    }
    return { ok: true, viewer: check.subject, explanation: describeTokenCheck(check, now) }
  }
}

const COMPONENT_NAME: Record<Component, string> = { player: 'player', chat: 'chat', qna: 'Q&A' }

/**
 * Returns a function that marks a valid token as used at all these components, and returns null. If one of them has used
 * the token before, the function changes nothing, and returns that component.
 */
function openUsedTokens(database: DatabaseSync) {
  const insert = database.prepare('INSERT INTO used_viewer_tokens VALUES (?, ?, ?)')
  const find = database.prepare('SELECT 1 FROM used_viewer_tokens WHERE token_digest = ? AND component = ?')
  return (token: string, components: readonly Component[], issuedAtSeconds: number): Component | null => {
    const digest = createHash('sha256').update(token).digest('hex')
    const usedAt = components.find((component) => find.get(digest, component) !== undefined)
    if (usedAt !== undefined) return usedAt
    for (const component of components) insert.run(digest, component, issuedAtSeconds + TOKEN_LIFETIME_SECONDS)
    return null
  }
}
