import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { OverloadedError } from '../errors.ts'
import type { LineSums } from '../server/log/line-sums.ts'
import type { SecurityLog } from '../server/log/log.ts'
import { networkOf } from '../sign-in-limits/keys.ts'

declare global {
  namespace Express {
    interface Request {
      /** Set by requestIdOf(). */
      id?: string
    }
  }
}

export const SIGN_IN_OUTCOMES = [
  'signed-in',
  'returned',
  'wrong-credentials',
  'disabled',
  'expired-password',
  'not-entitled',
  'unusable-attribute',
  'held-back',
  'not-from-own-page',
  'refused-request',
  'looping',
  'cancelled',
  'signed-out',
  'overloaded',
  'failed',
  'sso-started',
  'sso-signed-in',
  'sso-not-yet',
  'sso-refused',
  'sso-logged-out',
  'sso-logout-refused',
  'sso-failed',
  'passkey-started',
  'passkey-signed-in',
  'passkey-refused',
] as const

export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number]

/** The outcome of a request, for the log. No field can contain a form, a query or an address with a response. */
export interface SignInEvent {
  readonly outcome: SignInOutcome
  readonly viewer?: string | undefined
  /** True for a viewer with a session: no password was checked. */
  readonly isReturn?: boolean
  readonly status?: number
  readonly limit?: string
  readonly attribute?: string
  /** The identity of a viewer of an identity provider. */
  readonly issuer?: string
  readonly subject?: string
  /** The number of sessions that a logout at the provider ended. */
  readonly ended?: number
  readonly reason?: string
  readonly error?: unknown
}

export type LogSignIn = (req: Request, event: SignInEvent) => void

const FAILED: readonly SignInOutcome[] = ['failed', 'sso-failed']
const EXPECTED: readonly SignInOutcome[] = [
  'signed-in',
  'returned',
  'cancelled',
  'signed-out',
  'sso-started',
  'sso-signed-in',
  'sso-logged-out',
  'passkey-started',
  'passkey-signed-in',
]
/** Outcomes that a client can cause without credentials and without limit. Their repetitions are only counted. */
const SUMMED: readonly SignInOutcome[] = [
  'held-back',
  'not-from-own-page',
  'refused-request',
  'looping',
  'cancelled',
  'signed-out',
  'overloaded',
  'failed',
  'sso-started',
  'sso-not-yet',
  'sso-refused',
  'sso-logout-refused',
  'sso-failed',
  'passkey-started',
  'passkey-refused',
]
/** Outcomes that a returning viewer can cause without a password check, and so without limit. */
const SUMMED_ON_RETURN: readonly SignInOutcome[] = ['not-entitled', 'unusable-attribute']

/** Returns the event of a request that an error ended. Without the error in an overload, which must not overload the log. */
export function faultEvent(error: unknown): SignInEvent {
  return error instanceof OverloadedError ? { outcome: 'overloaded' } : { outcome: 'failed', error }
}

export interface SignInLogDeps {
  readonly securityLog: SecurityLog
  readonly lineSums: LineSums
  readonly entryPoint: string
  readonly addressOf: (req: Request) => string
  /** Called for each outcome, for the metrics. */
  readonly count?: ((outcome: SignInOutcome, entryPoint: string, limit?: string) => void) | undefined
}

/** Returns the id of the request, which is in each of its log lines, and on the screen of an internal error. */
export function requestIdOf(req: Request): string {
  req.id ??= randomUUID()
  return req.id
}

/**
 * Creates the function that logs the outcomes of sign-ins (OWASP ASVS 16.3.1, 16.3.3). Every checked password has its own
 * line, unless a limit refused the attempt. Other outcomes that are equal in network, user name and reason have one line
 * a minute, and a sum of the rest.
 */
export function createSignInLog({
  securityLog,
  lineSums,
  entryPoint,
  addressOf,
  count = () => {},
}: SignInLogDeps): LogSignIn {
  const shared = { event: 'sign-in', entryPoint }
  const levelOf = (outcome: SignInOutcome) =>
    FAILED.includes(outcome) ? 'error' : EXPECTED.includes(outcome) ? 'info' : 'warn'

  function isRepeated(req: Request, event: SignInEvent, address: string): boolean {
    const { outcome, limit, viewer, status, reason, isReturn } = event
    const isSummed = SUMMED.includes(outcome) || (SUMMED_ON_RETURN.includes(outcome) && isReturn === true)
    if (!isSummed) return false
    const writeSum = (sum: object) => securityLog[levelOf(outcome)]({ ...shared, outcome, limit, ...sum })
    const kind = { key: `${entryPoint} ${outcome} ${limit ?? ''}`, writeSum }
    // The screen of an internal error shows the id of its line, so that line must exist.
    const subject = outcome === 'failed' ? (viewer ?? requestIdOf(req)) : viewer
    // The app or the provider is at fault, not one client. A line for each refused viewer would cost 8 % of the sign-ins.
    const network = outcome === 'overloaded' || outcome === 'sso-failed' ? undefined : networkOf(address)
    return !lineSums.isNew(kind, network, `${subject} ${status} ${reason}`)
  }
  /** Returns the error with its stack once a minute, else its message. */
  function faultOf(error: unknown): object {
    if (!(error instanceof Error)) return { err: error }
    const isNew = lineSums.isNew({ key: 'fault', writeSum: () => {} }, undefined, `${error.name} ${error.message}`)
    return isNew ? { err: error } : { reason: error.message }
  }
  return (req, event) => {
    const { outcome, viewer: typed, error, isReturn: _isReturn, ...details } = event
    const viewer = typed?.slice(0, 255)
    const address = addressOf(req)
    count(outcome, entryPoint, details.limit)
    if (isRepeated(req, { ...event, viewer }, address)) return
    // pino omits undefined fields.
    securityLog[levelOf(outcome)]({
      ...shared,
      outcome,
      viewer,
      address,
      requestId: requestIdOf(req),
      ...details,
      ...(error !== undefined && faultOf(error)),
    })
  }
}
