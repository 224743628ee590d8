import { hash } from 'node:crypto'
import type { Request, Response } from 'express'

/** Visits of returning viewers, for RETURNING_VIEWERS=ask. The browser remembers a visit in a cookie of its own. */
export interface Visits {
  /** True if the viewer of this session signed in, or chose to continue, in this visit. */
  isRunning(req: Pick<Request, 'headers'>, sessionId: string): boolean
  /**
   * Starts a visit, or extends it.
   * @param responseSeconds how long the response of the viewer is valid; 0 for a response that never expires.
   */
  extend(res: Response, sessionId: string, responseSeconds: number): void
}

/** The player asks again when a response expires. A browser with a slow clock or connection may be late. */
const LATE_SECONDS = 300
const WITHOUT_EXPIRY_SECONDS = 3600

/** @param isTls true if PUBLIC_URL is https; otherwise it is a loopback address. */
export function createVisits(isTls: boolean): Visits {
  const name = isTls ? '__Host-visit' : 'visit'
  // Useless for another session. No signature: a forged cookie only leaves out a question.
  const valueFor = (sessionId: string) => hash('sha256', sessionId, 'base64url').slice(0, 22)
  return {
    isRunning(req, sessionId) {
      const cookies = req.headers.cookie?.split(/; */) ?? []
      return cookies.includes(`${name}=${valueFor(sessionId)}`)
    },
    extend(res, sessionId, responseSeconds) {
      const maxAge = ((responseSeconds || WITHOUT_EXPIRY_SECONDS) + LATE_SECONDS) * 1000
      const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const
      res.cookie(name, valueFor(sessionId), { ...attributes, maxAge })
    },
  }
}
