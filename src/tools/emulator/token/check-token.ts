import type { DatabaseSync } from 'node:sqlite'
import { parseContentPublicKey } from '../../../features/token/viewer-token/content-key.ts'
import { checkViewerToken } from '../../../features/token/viewer-token/token-check.ts'
import { describeTokenCheck } from '../../../features/token/viewer-token/token-diagnosis.ts'
import type { Component } from '../player/content.ts'
import type { ServiceKeys } from './service-keys.ts'
import { openUsedTokens } from './used-tokens.ts'

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

interface TokenDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
  readonly serviceKeys: Pick<ServiceKeys, 'accepted'>
}

/** Returns a function that checks viewer tokens, and accepts each token once for a component. */
export function tokenChecker({ database, nowSeconds, serviceKeys }: TokenDeps): CheckToken {
  const usedTokens = openUsedTokens(database, nowSeconds)
  return async (vt, publicKey, components) => {
    if (vt === undefined) return { ok: false, explanation: 'The viewer has no token yet.' }
    if (typeof vt !== 'string') return { ok: false, explanation: 'Refused: vt is in the address more than once.' }
    const keys = { serviceKeys: await serviceKeys.accepted(), contentKey: parseContentPublicKey(publicKey) }
    const now = nowSeconds()
    const check = await checkViewerToken(vt, keys, now)
    if (!check.ok) return { ok: false, explanation: describeTokenCheck(check, now) }
    const usedAt = usedTokens.use(vt, components, check.issuedAtSeconds)
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
