import type { SessionData, default as session } from 'express-session'
import { z } from 'zod'
import { jsonIn } from '../json-text.ts'
import { type Identity, type IdentityLogout, StoredIdentity } from './identity.ts'

declare module 'express-session' {
  interface SessionData {
    /** Present in every stored session. */
    viewer?: SessionViewer
    /** UNIX time of the last use, as the store read it. Absent in a new session. */
    usedAtSeconds?: number
  }
}

export interface SessionStore {
  readonly store: session.Store
  /** @throws Error if the store does not answer. */
  checkHealth(): Promise<void>
  /**
   * Ends all sessions of a viewer of the user store, in all copies of the app, and returns their number.
   * @param username in any case.
   * @throws UpstreamError if the store does not answer. Some sessions may have ended.
   */
  endSessionsOf(username: string): Promise<number>
  /** Ends the sessions that a logout at an issuer concerns, as `endSessionsOf` does. */
  endIdentitySessions(logout: IdentityLogout): Promise<number>
  /** Returns the number of sessions. Absent in a store that would have to read all keys. */
  count?(): number
  close(): void
  /** True for a store that logs its own outages, so that requests need not. */
  readonly logsOutages?: boolean
}

export interface SessionLimits {
  /** From the sign-in on, even if the session is used. */
  readonly lifetimeSeconds: number
  /** From the last use on. */
  readonly idleSeconds: number
  /** A viewer who has more sessions loses the oldest. */
  readonly mostPerViewer: number
}

/** A stored session, without its id, which is a credential. UNIX times in seconds. */
export interface ShownSession {
  /** Null for a viewer of the user store. */
  readonly provider: Pick<Identity, 'issuer' | 'subject' | 'endsAtSeconds'> | null
  readonly signedInAtSeconds: number
  /** The app stores the last use about once a minute. */
  readonly usedAtSeconds: number
}

const TOUCH_AFTER_SECONDS = 60

/** The viewer of a stored session. */
export const StoredViewer = z
  .object({
    username: z.string(),
    signedInAtSeconds: z.number(),
    /** As in `Viewer`. The session ends with the password. */
    passwordVersion: z.string().exactOptional(),
    /** Present only if the app cannot look up the viewer. */
    snapshot: z
      .object({ groups: z.array(z.string()).readonly(), attributes: z.record(z.string(), z.string()).readonly() })
      .exactOptional(),
    /** The identity under its old name. Absent for a viewer of the user store. */
    sso: StoredIdentity.exactOptional(),
  })
  .transform(({ sso, ...viewer }) => ({ ...viewer, ...(sso && { identity: sso }) }))
export type SessionViewer = Readonly<z.output<typeof StoredViewer>>

/** A stored session. Some stores keep the last use beside it. */
export const StoredSession = z.object({
  cookie: z.looseObject({}),
  viewer: StoredViewer,
  usedAtSeconds: z.number().optional(),
})

/** Parses a stored session. Null if this version cannot read it: the viewer signs in again. */
export function parseSession(json: string): (SessionData & { readonly viewer: SessionViewer }) | null {
  const { data = null } = StoredSession.safeParse(jsonIn(json))
  return data as (SessionData & { viewer: SessionViewer }) | null
}

/** Returns what `StoredViewer` reads. */
export function storableViewer({ identity, ...viewer }: SessionViewer) {
  return identity === undefined ? viewer : { ...viewer, sso: identity }
}

/**
 * Returns what a store keeps of a session. A session that was read never sets its cookie again, so the attributes of
 * the cookie are left out: they were two thirds of the text. An older version of the app reads this form too.
 */
export function storableSession({ viewer }: SessionData) {
  return { cookie: {}, viewer: viewer && storableViewer(viewer) }
}

/**
 * True if a store should write the time of the last use. The stored time may be up to a minute old, so that most visits
 * write nothing. A session can end too early by that age, so the age is at most a tenth of the idle limit.
 * @param nowSeconds UNIX time in seconds.
 */
export function isUseDue(
  { usedAtSeconds, viewer }: SessionData,
  { idleSeconds }: SessionLimits,
  nowSeconds: number,
): boolean {
  const storedAtSeconds = usedAtSeconds ?? viewer?.signedInAtSeconds ?? nowSeconds
  return nowSeconds - storedAtSeconds >= Math.min(TOUCH_AFTER_SECONDS, idleSeconds / 10)
}

/** Returns the time at which a session ends if it is not used again. UNIX time in seconds. */
export function endOfSession(
  { signedInAtSeconds, usedAtSeconds, provider }: Omit<ShownSession, 'provider'> & Partial<ShownSession>,
  { lifetimeSeconds, idleSeconds }: Pick<SessionLimits, 'lifetimeSeconds' | 'idleSeconds'>,
): number {
  const endsAtSeconds = Math.min(signedInAtSeconds + lifetimeSeconds, usedAtSeconds + idleSeconds)
  return Math.min(endsAtSeconds, provider?.endsAtSeconds ?? Number.POSITIVE_INFINITY)
}
