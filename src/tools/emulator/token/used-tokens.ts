import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { TOKEN_LIFETIME_SECONDS } from '../../../features/token/viewer-token/viewer-token.ts'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
import type { Component } from '../player/content.ts'

/** Only digests of tokens are stored. */
export const USED_TOKEN_TABLE = `
  CREATE TABLE IF NOT EXISTS used_viewer_tokens (
    token_digest TEXT NOT NULL,
    component TEXT NOT NULL,
    expires_at_seconds INTEGER NOT NULL,
    PRIMARY KEY (token_digest, component)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS used_viewer_tokens_by_expiry ON used_viewer_tokens (expires_at_seconds);
`

/** Twice as long as a token is valid, because the clock can be set back. */
const KEPT_SECONDS = 2 * TOKEN_LIFETIME_SECONDS

export interface UsedTokens {
  /**
   * Marks a valid token as used at all these components. Changes nothing if one of them has used the token before.
   * @returns the component that has used the token before; null if none has.
   */
  use(token: string, components: readonly Component[], issuedAtSeconds: number): Component | null
}

/** Keeps the digests of used tokens in the database, until the tokens have expired. */
export function openUsedTokens(database: DatabaseSync, nowSeconds: () => number): UsedTokens {
  const insert = database.prepare('INSERT INTO used_viewer_tokens VALUES (?, ?, ?)')
  const find = database.prepare('SELECT 1 FROM used_viewer_tokens WHERE token_digest = ? AND component = ?')
  const removeExpired = database.prepare('DELETE FROM used_viewer_tokens WHERE expires_at_seconds < ?')
  return {
    use(token, components, issuedAtSeconds) {
      const digest = createHash('sha256').update(token).digest('hex')
      return inTransaction(database, () => {
        removeExpired.run(nowSeconds())
        const usedAt = components.find((component) => find.get(digest, component) !== undefined)
        if (usedAt !== undefined) return usedAt
        for (const component of components) insert.run(digest, component, issuedAtSeconds + KEPT_SECONDS)
        return null
      })
    },
  }
}
