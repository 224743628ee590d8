import { hash } from 'node:crypto'
import { z } from 'zod'

/** The identity of a viewer whom another system than the user store knows, by issuer and subject. */
export const StoredIdentity = z.object({
  issuer: z.string(),
  subject: z.string(),
  /** The session at the issuer, with which the sessions here end. Null if the issuer names none. */
  providerSession: z.string().nullable().default(null),
  /** A session counts only where the provider id is the same: a digest of settings, or the issuer itself. */
  providerId: z.string().default(''),
  /** UNIX time in seconds: then the viewer must sign in again. */
  endsAtSeconds: z.number(),
})
export type Identity = Readonly<z.output<typeof StoredIdentity>>

/** A logout at an issuer: of a session there, or of a viewer with all sessions. At least one is known. */
export interface IdentityLogout {
  readonly issuer: string
  readonly subject: string | null
  /** Null if the issuer ended all sessions of the viewer. */
  readonly providerSession: string | null
}

/**
 * Returns the keys under which a session, or a sign-in that is under way, is found at a logout: of the viewer, and of the
 * session at the issuer. The keys are digests, so that a store has them in one length.
 */
export function keysOfIdentity({
  issuer,
  subject,
  providerSession,
}: Pick<Identity, 'issuer' | 'subject' | 'providerSession'>) {
  return {
    viewer: keyOf('viewer', issuer, subject),
    session:
      providerSession === null ? keyOf('without-session', issuer, subject) : keyOf('session', issuer, providerSession),
  }
}

/**
 * Returns the keys that a logout ends. With a session at the issuer, sessions of the same viewer that name none end too:
 * they could belong to it.
 */
export function keysOfLogout({ issuer, subject, providerSession }: IdentityLogout): string[] {
  if (providerSession === null) return subject === null ? [] : [keyOf('viewer', issuer, subject)]
  const unnamed = subject === null ? [] : [keyOf('without-session', issuer, subject)]
  return [keyOf('session', issuer, providerSession), ...unnamed]
}

function keyOf(kind: 'viewer' | 'session' | 'without-session', issuer: string, value: string): string {
  return hash('sha256', JSON.stringify([kind, issuer, value]), 'base64url')
}
