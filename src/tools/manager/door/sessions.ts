import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Request, Response } from 'express'
import type { ManagerSession, ManagerStore } from '../../cli/manager/accounts/manager-store.ts'
import type { KeptValues } from '../kept-values.ts'

/** A session ends after this time without a request. */
const IDLE_SECONDS = 15 * 60
/** A session ends after this time in all. */
const LIFETIME_SECONDS = 8 * 3600
/** The most time between the password and the second step. */
const STEP_SECONDS = 10 * 60
/** A session that is over stays in the file for this time: what its manager typed goes to the next session. */
const ENDED_SECONDS = 30 * 60
const FORM_COOKIE_SECONDS = 3600
const RANDOM_BYTES = 32

/** A session that has not ended. */
export interface LiveSession extends ManagerSession {
  readonly id: string
}

export type ManagerSessions = ReturnType<typeof createManagerSessions>

/**
 * Sessions of managers. They last at most eight hours, and fifteen minutes without a request.
 * @param secret signs the token of the sign-in form, which belongs to no session yet.
 */
export function createManagerSessions(
  store: ManagerStore,
  secret: string,
  isTls: boolean,
  nowSeconds: () => number,
  kept: Pick<KeptValues, 'moveSession'>,
) {
  const name = isTls ? '__Host-manager' : 'manager'
  const formName = isTls ? '__Host-manager-form' : 'manager-form'
  const cookie = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const

  function find(id: string | null): LiveSession | null {
    const session = id === null ? null : store.session(id)
    if (id === null || session === null) return null
    const { startedAtSeconds, usedAtSeconds, isComplete } = session
    const lifetime = isComplete ? LIFETIME_SECONDS : STEP_SECONDS
    const isOver = nowSeconds() >= startedAtSeconds + lifetime || nowSeconds() >= usedAtSeconds + IDLE_SECONDS
    return isOver ? null : { ...session, id }
  }
  function formKey(req: Request, res: Response): string {
    const known = cookieOf(req, formName)
    if (known !== null && known.length >= RANDOM_BYTES) return known
    const made = randomBytes(RANDOM_BYTES).toString('base64url')
    res.cookie(formName, made, { ...cookie, maxAge: FORM_COOKIE_SECONDS * 1000 })
    return made
  }
  const tokenOf = (key: string) => createHmac('sha256', secret).update(`manager sign-in ${key}`).digest('base64url')
  return {
    /** Returns the session of a request, and counts the request as its use. */
    of(req: Request): LiveSession | null {
      const session = find(cookieOf(req, name))
      if (session !== null) store.use(session.id, nowSeconds())
      return session
    },
    /** Returns the session of a request whose session is over. It proves only what its manager typed. */
    endedOf(req: Request): LiveSession | null {
      const id = cookieOf(req, name)
      const session = id === null || find(id) !== null ? null : store.session(id)
      return id !== null && session?.isComplete ? { ...session, id } : null
    },
    /** True while the session of this id counts. */
    isLive: (id: string): boolean => find(id)?.isComplete === true,
    /**
     * Starts a session under a new id, and ends the earlier session. No other function signs a manager in.
     * @param isComplete true after the second step.
     * @returns the id, for `give`.
     */
    start(req: Request, key: string, isComplete: boolean): string {
      const before = cookieOf(req, name)
      const isSameManager = before !== null && store.session(before)?.manager.key === key
      if (before !== null) store.end(before)
      const ended = nowSeconds() - ENDED_SECONDS
      store.removeOld(ended - LIFETIME_SECONDS, ended - IDLE_SECONDS)
      const id = store.start(key, isComplete, nowSeconds())
      if (before !== null) kept.moveSession(before, isSameManager ? id : null)
      return id
    },
    /** Sends the cookie of a session. */
    give: (res: Response, id: string): void => void res.cookie(name, id, cookie),
    end(req: Request, res: Response): void {
      const id = cookieOf(req, name)
      if (id !== null) store.end(id)
      if (id !== null) kept.moveSession(id, null)
      res.clearCookie(name, cookie)
    },
    /** Returns the token for the form of the sign-in, which is bound to the browser by a cookie of its own. */
    signInToken: (req: Request, res: Response): string => tokenOf(formKey(req, res)),
    isSignInToken(req: Request, token: string): boolean {
      const key = cookieOf(req, formName)
      return key !== null && isSame(token, tokenOf(key))
    },
  }
}

/** Compares two texts in a time that does not tell where they differ. */
export function isSame(one: string, other: string): boolean {
  const bytes = Buffer.from(one)
  const otherBytes = Buffer.from(other)
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes)
}

function cookieOf({ headers }: Request, name: string): string | null {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [key, value = ''] = part.trim().split('=', 2)
    if (key === name && value !== '') return value
  }
  return null
}
