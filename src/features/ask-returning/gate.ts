import { hash } from 'node:crypto'
import type { Request, Response } from 'express'
import type { EntryPointDeps, Gate } from '../../login/route-deps.ts'

/** The player asks again when a response expires. A browser with a slow clock or connection may be late. */
const LATE_SECONDS = 300
const WITHOUT_EXPIRY_SECONDS = 3600

interface VisitOptions {
  /** The lifetime of a response; 0 if it never expires, or if the player gets no hash. */
  readonly lifetimeSeconds: number
  readonly isTls: boolean
}

/** Creates the gate of an entry point. It holds a returning viewer with a question, outside a visit. */
export function createGate(
  { screens }: Pick<EntryPointDeps, 'screens'>,
  options: VisitOptions,
  entryPoint: string,
): Gate {
  const visits = createVisits(entryPoint, options)
  return (req, res, { viewer, context, outcome, sessionId }) => {
    // A viewer who chose to continue has answered. Only a post does.
    const isAnswered = outcome === 'signed-in' || req.method === 'POST'
    if (isAnswered || sessionId === undefined || visits.isRunning(req, sessionId)) {
      return { ok: true, onGranted: (id) => (id === null ? undefined : visits.extend(res, id)) }
    }
    const send = () => screens.sendSignIn(req, res, { context, signedInAs: viewer.username, asksFirst: true })
    return { ok: false, reason: 'held', send }
  }
}

/**
 * Creates the visits of returning viewers at one entry point. Each entry point has its own cookie: an entry point with
 * short responses must not end the visit of another.
 */
function createVisits(entryPoint: string, { lifetimeSeconds, isTls }: VisitOptions) {
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
