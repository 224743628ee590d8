import { hash } from 'node:crypto'
import type { Request, Response } from 'express'

/** Visits of returning viewers, for RETURNING_VIEWERS=ask. The browser remembers a visit in a cookie of its own. */
export interface Visits {
  /** True if the viewer of this session signed in, or chose to continue, in this visit. */
  isRunning(req: Pick<Request, 'headers'>, sessionId: string): boolean
  /** Starts a visit, or extends it. */
  extend(res: Response, sessionId: string): void
}

interface VisitedEntryPoint {
  readonly name: string
  /** How long a response is valid; 0 for a response that never expires. Absent with tokens. */
  readonly lifetimeSeconds?: number
}

/** The player asks again when a response expires. A browser with a slow clock or connection may be late. */
const LATE_SECONDS = 300
const WITHOUT_EXPIRY_SECONDS = 3600

/**
 * Creates the visits of one entry point. Each has its own cookie: an entry point with short responses must not end the
 * visit of another.
 * @param isTls true if PUBLIC_URL is https; otherwise it is a loopback address.
 */
export function createVisits({ name: entryPoint, lifetimeSeconds = 0 }: VisitedEntryPoint, isTls: boolean): Visits {
  const name = `${isTls ? '__Host-' : ''}visit-${entryPoint}`
  const maxAge = ((lifetimeSeconds || WITHOUT_EXPIRY_SECONDS) + LATE_SECONDS) * 1000
  // Useless for another session. No signature: a forged cookie only leaves out a question.
  const valueFor = (sessionId: string) => hash('sha256', sessionId, 'base64url').slice(0, 22)
  return {
    isRunning(req, sessionId) {
      const cookies = req.headers.cookie?.split(/; */) ?? []
      return cookies.includes(`${name}=${valueFor(sessionId)}`)
    },
    extend(res, sessionId) {
      const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const
      res.cookie(name, valueFor(sessionId), { ...attributes, maxAge })
    },
  }
}
