import { hash } from 'node:crypto'

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
