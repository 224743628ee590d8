import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { OverloadedError } from '../../errors.ts'
import type { SecurityLog } from '../../server/log/log.ts'
import type { RepeatFilter } from '../../server/log/repeat-filter.ts'
import type { Identity } from '../../sessions/identity.ts'
import { networkOf } from '../../sign-in-limits/keys.ts'
import { deviceOf } from './device.ts'

declare global {
  namespace Express {
    interface Request {
      /** Set by requestIdOf(). */
      id?: string
    }
  }
}

export type Outcomes = Readonly<Record<string, OutcomeKind>>

export interface OutcomeKind {
  readonly level: 'info' | 'warn' | 'error'
  /**
   * Lines that repeat are only counted. `always`: a client can cause them without credentials and without limit.
   * `onReturn`: a returning viewer can cause them without a password check. Default: each has its line.
   */
  readonly counted?: 'always' | 'onReturn'
  /** True if the app or another service is at fault, not one client: repetitions of all networks are counted together. */
  readonly isOfAll?: boolean
  /** True if the viewer has signed in, unless it is a return. The line names the device, and a session may begin. */
  readonly isSignIn?: boolean
}

/** The outcomes of sign-ins with a password. */
export const SIGN_IN_OUTCOMES: Outcomes = {
  'signed-in': { level: 'info', isSignIn: true },
  returned: { level: 'info' },
  'wrong-credentials': { level: 'warn' },
  disabled: { level: 'warn' },
  'expired-password': { level: 'warn' },
  'not-entitled': { level: 'warn', counted: 'onReturn' },
  'unusable-attribute': { level: 'warn', counted: 'onReturn' },
  'held-back': { level: 'warn', counted: 'always' },
  'not-from-own-page': { level: 'warn', counted: 'always' },
  'refused-request': { level: 'warn', counted: 'always' },
  looping: { level: 'warn', counted: 'always' },
  cancelled: { level: 'info', counted: 'always' },
  'signed-out': { level: 'info', counted: 'always' },
  overloaded: { level: 'warn', counted: 'always', isOfAll: true },
  failed: { level: 'error', counted: 'always' },
}

/** The outcome of a request, for the log. No field can contain a form, a query or an address with a response. */
export interface SignInEvent {
  /** A key of the outcomes of the app or of a feature. */
  readonly outcome: string
  readonly viewer?: string | undefined
  /** True for a viewer with a session: no password was checked. */
  readonly isReturn?: boolean
  readonly status?: number
  readonly limit?: string
  readonly attribute?: string
  /** The identity of a viewer who is not in the user store. */
  readonly issuer?: string
  readonly subject?: string
  /** The number of sessions that the event ended. */
  readonly ended?: number
  readonly reason?: string
  /** The code of the access policy for its refusal. */
  readonly code?: string | undefined
  readonly error?: unknown
}

export type LogSignIn = (req: Request, event: SignInEvent) => void

/** Returns the identity for the log; undefined for a viewer of the user store. */
export function loggedIdentity({ identity }: { readonly identity?: Identity | undefined }) {
  return identity && { issuer: identity.issuer, subject: identity.subject }
}

/** Returns the event of a request that an error ended. Leaves out the error of an overload, which must not flood the log. */
export function faultEvent(error: unknown): SignInEvent {
  return error instanceof OverloadedError ? { outcome: 'overloaded' } : { outcome: 'failed', error }
}

export interface SignInLogDeps {
  readonly securityLog: SecurityLog
  readonly repeatFilter: RepeatFilter
  /** The `event` of its lines. Default: `sign-in`. */
  readonly event?: string
  readonly entryPoint: string
  readonly addressOf: (req: Request) => string
  readonly outcomes: Outcomes
  /** Called for each outcome. */
  readonly count?: ((outcome: string, entryPoint: string, limit?: string, code?: string) => void) | undefined
}

/** Returns the id of the request. Each of its log lines has the id, and so has the screen of an internal error. */
export function requestIdOf(req: Request): string {
  req.id ??= randomUUID()
  return req.id
}

/**
 * Creates the function that logs the outcomes of sign-ins (OWASP ASVS 16.3.1, 16.3.3). Every checked password has its own
 * line, unless a limit refused the attempt. Other outcomes are summed up each minute if network, user name and reason are
 * equal.
 */
export function createSignInLog(deps: SignInLogDeps): LogSignIn {
  const { securityLog, repeatFilter, event: name = 'sign-in', entryPoint, addressOf, outcomes, count = () => {} } = deps
  const shared = { event: name, entryPoint }
  const kindOf = (outcome: string): OutcomeKind => outcomes[outcome] ?? { level: 'warn' }

  function isRepeated(req: Request, event: SignInEvent, address: string): boolean {
    const { outcome, limit, viewer, status, reason, code, isReturn } = event
    const { level, counted, isOfAll } = kindOf(outcome)
    if (counted === undefined || (counted === 'onReturn' && isReturn !== true)) return false
    const writeSum = (sum: object) => securityLog[level]({ ...shared, outcome, limit, ...sum })
    const kind = { key: `${name} ${entryPoint} ${outcome} ${limit ?? ''}`, writeSum }
    // The screen of an internal error shows the id of its line, so that line must exist.
    const subject = outcome === 'failed' ? (viewer ?? requestIdOf(req)) : viewer
    // A line for each viewer whom an overload refuses would cost 8 % of the sign-ins.
    const network = isOfAll ? undefined : networkOf(address)
    return !repeatFilter.isNew(kind, network, JSON.stringify([subject, status, reason, code]))
  }
  /** Returns the error with its stack once a minute, else its message. */
  function faultOf(error: unknown): object {
    if (!(error instanceof Error)) return { err: error }
    const isNew = repeatFilter.isNew({ key: 'fault', writeSum: () => {} }, undefined, `${error.name} ${error.message}`)
    return isNew ? { err: error } : { reason: error.message }
  }
  return (req, event) => {
    const { outcome, viewer: typed, error, isReturn, ...details } = event
    const viewer = typed?.slice(0, 255)
    const address = addressOf(req)
    count(outcome, entryPoint, details.limit, details.code)
    if (isRepeated(req, { ...event, viewer }, address)) return
    const { level, isSignIn } = kindOf(outcome)
    const device = isSignIn && !isReturn ? deviceOf(req) : []
    // pino omits undefined fields.
    securityLog[level]({
      ...shared,
      outcome,
      viewer,
      address,
      ...(device.length > 0 && { device: device.join(', ') }),
      requestId: requestIdOf(req),
      ...details,
      ...(error !== undefined && faultOf(error)),
    })
  }
}
