import type session from 'express-session'
import { z } from 'zod'

declare module 'express-session' {
  interface SessionData {
    /** Present in every session that is stored: there is no other reason to have one. */
    viewer?: {
      username: string
      signedInAtSeconds: number
      /** Only where the user store cannot look a viewer up again. */
      snapshot?: { groups: readonly string[]; attributes: Readonly<Record<string, string>> }
    }
  }
}

export interface SessionStore {
  readonly store: session.Store
  /** @throws Error when the store does not answer. */
  checkHealth(): Promise<void>
  close(): void
  /** True of a store that says itself, now and then, that it is away: no request has to. */
  readonly reportsItself?: boolean
}

export interface SessionLimits {
  /** From the sign-in on, however much the session is used. */
  readonly lifetimeSeconds: number
  /** From the last use on. */
  readonly idleSeconds: number
}

const TOUCH_AFTER_SECONDS = 60

/** A session as it is written down. */
export const StoredSession = z.object({
  cookie: z.looseObject({}),
  viewer: z.object({
    username: z.string(),
    signedInAtSeconds: z.number(),
    snapshot: z.object({ groups: z.array(z.string()), attributes: z.record(z.string(), z.string()) }).optional(),
  }),
})

/**
 * How much older the last use on record must be for one more to be written down: a read-mostly path stays one. At most a
 * tenth of the idle limit, by which a session can then end early.
 */
export function touchAfterSeconds({ idleSeconds }: SessionLimits): number {
  return Math.min(TOUCH_AFTER_SECONDS, idleSeconds / 10)
}
