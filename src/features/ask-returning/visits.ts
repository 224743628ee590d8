import { hash } from 'node:crypto'
import type { Request, Response } from 'express'

/** The player asks again when a response expires. A browser with a slow clock or connection may be late. */
const LATE_SECONDS = 300
const WITHOUT_EXPIRY_SECONDS = 3600

/**
 * Creates the visits of returning viewers at one entry point. Each entry point has its own cookie: an entry point with
 * short responses must not end the visit of another.
 * @param lifetimeSeconds the lifetime of a response; 0 if it never expires, or if the player gets no hash.
 */
export function createVisits(
  entryPoint: string,
  { lifetimeSeconds, isTls }: { readonly lifetimeSeconds: number; readonly isTls: boolean },
) {
  const name = `${isTls ? '__Host-' : ''}visit-${entryPoint}`
  const maxAge = ((lifetimeSeconds || WITHOUT_EXPIRY_SECONDS) + LATE_SECONDS) * 1000
  // Useless for another session. No signature: a forged cookie only leaves out a question.
  const valueFor = (sessionId: string) => hash('sha256', sessionId, 'base64url').slice(0, 22)
  return {
    /** True if the viewer of this session signed in, or chose to continue, in this visit. */
    isRunning(req: Pick<Request, 'headers'>, sessionId: string): boolean {
      const cookies = req.headers.cookie?.split(/; */) ?? []
      return cookies.includes(`${name}=${valueFor(sessionId)}`)
    },
    /** Starts a visit, or extends it. */
    extend(res: Response, sessionId: string): void {
      const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const
      res.cookie(name, valueFor(sessionId), { ...attributes, maxAge })
    },
  }
}
