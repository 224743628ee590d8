import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { SessionStore } from '../session-store.ts'
import type { LockGuard } from '../sqlite-file.ts'

/** A logout at an identity provider: of a session there, or of a viewer with all sessions. At least one is known. */
export interface ProviderLogout {
  readonly issuer: string
  readonly subject: string | null
  /** Null if the provider ended all sessions of the viewer. */
  readonly providerSession: string | null
}

/** A viewer whom an identity provider signed in. */
export interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
  /** The session at the provider. Null if the provider named none. */
  readonly providerSession: string | null
}

/**
 * Returns the keys under which a session, or a sign-in that is under way, is found at a logout: of the viewer, and of the
 * session at the provider. The keys are digests, so that a store has them in one length.
 */
export function keysOfIdentity({ issuer, subject, providerSession }: ProviderIdentity) {
  return {
    viewer: keyOf('viewer', issuer, subject),
    session:
      providerSession === null ? keyOf('without-session', issuer, subject) : keyOf('session', issuer, providerSession),
  }
}

/**
 * Returns the keys that a logout ends. With a session of the provider, sessions of the same viewer that name none end too:
 * they could belong to it.
 */
export function keysOfLogout({ issuer, subject, providerSession }: ProviderLogout): string[] {
  if (providerSession === null) return subject === null ? [] : [keyOf('viewer', issuer, subject)]
  const unnamed = subject === null ? [] : [keyOf('without-session', issuer, subject)]
  return [keyOf('session', issuer, providerSession), ...unnamed]
}

function keyOf(kind: 'viewer' | 'session' | 'without-session', issuer: string, value: string): string {
  return hash('sha256', JSON.stringify([kind, issuer, value]), 'base64url')
}

declare module '../session-store.ts' {
  interface SsoOrigin extends ProviderIdentity {
    /** The digest of the settings of the provider. The session counts only where the settings are the same. */
    readonly providerId: string
  }
  interface SessionStore {
    /**
     * Ends the sessions that a logout at an identity provider concerns, in all copies of the app.
     * @returns the number of ended sessions.
     * @throws UpstreamError if the store does not answer. Some sessions may have ended.
     */
    endProviderSessions(logout: ProviderLogout): Promise<number>
  }
}

/** Ends sessions in a file at a logout. */
export function sqliteProviderSessions(
  database: DatabaseSync,
  writes: LockGuard,
): Pick<SessionStore, 'endProviderSessions'> {
  // Reads the values from JSON, as they were stored: a text with half a character is another one when it is bound.
  const [issuer, subject] = ["issuer = ?1 ->> '$.issuer'", "subject = ?1 ->> '$.subject'"]
  const ofSubject = database.prepare(`DELETE FROM sessions WHERE ${issuer} AND ${subject}`)
  const ofProviderSession = database.prepare(
    `DELETE FROM sessions WHERE ${issuer} AND provider_session = ?1 ->> '$.providerSession'
       OR ${issuer} AND ${subject} AND provider_session IS NULL`,
  )
  return {
    async endProviderSessions(logout) {
      const statement = logout.providerSession === null ? ofSubject : ofProviderSession
      const { changes } = await Promise.resolve(writes.run(() => statement.run(JSON.stringify(logout))))
      return Number(changes)
    },
  }
}
