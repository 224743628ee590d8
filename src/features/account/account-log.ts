import type { Request } from 'express'
import { requestIdOf, type SignInLogDeps } from '../../login/sign-in-log.ts'
import { networkOf } from '../../sign-in-limits/keys.ts'

export type AccountOutcome =
  | 'reset-requested'
  | 'reset-limited'
  | 'reset-mailed'
  | 'reset-not-mailed'
  | 'link-refused'
  | 'password-reset'
  | 'password-set'
  | 'password-changed'
  | 'password-refused'
  | 'passkey-added'
  | 'passkey-not-added'
  | 'notice-mailed'
  | 'notice-not-mailed'
  | 'sessions-not-ended'
  | 'not-from-own-page'
  | 'refused-request'
  | 'failed'

/** The outcome of a step, for the log. No field can contain a form, a query, a token or a mail address. */
export interface AccountEvent {
  readonly outcome: AccountOutcome
  readonly viewer?: string | undefined
  readonly status?: number
  readonly limit?: string
  readonly reason?: string
  readonly error?: unknown
}

/** Logs a step of one request, also after its answer. */
export type LogStep = (event: AccountEvent) => void
/** Returns the log for a request. */
export type LogAccount = (req: Request) => LogStep

const LEVELS: Partial<Record<AccountOutcome, 'info' | 'error'>> = {
  'reset-requested': 'info',
  'reset-mailed': 'info',
  'password-reset': 'info',
  'password-set': 'info',
  'password-changed': 'info',
  'passkey-added': 'info',
  'notice-mailed': 'info',
  'sessions-not-ended': 'error',
  failed: 'error',
}
/** Outcomes that need a link, a password or a mail, and so have a line each. The others are summed up if they repeat. */
const ALWAYS_WRITTEN: readonly AccountOutcome[] = [
  'reset-mailed',
  'password-reset',
  'password-set',
  'password-changed',
  'passkey-added',
  'notice-mailed',
  'sessions-not-ended',
]

export interface AccountLogDeps extends Omit<SignInLogDeps, 'count'> {
  /** Called for each step, for the metrics. */
  readonly count?: ((outcome: AccountOutcome, entryPoint: string) => void) | undefined
}

/** Creates the function that logs the steps by which viewers set their passwords (OWASP ASVS 16.3.1, 16.3.3). */
export function createAccountLog(deps: AccountLogDeps): LogAccount {
  const { securityLog, lineSums, entryPoint, addressOf, count = () => {} } = deps
  const shared = { event: 'account', entryPoint }

  return (req) => {
    const address = addressOf(req)
    const requestId = requestIdOf(req)
    return ({ outcome, viewer: typed, error, ...details }) => {
      const level = LEVELS[outcome] ?? 'warn'
      const viewer = typed?.slice(0, 255)
      count(outcome, entryPoint)
      const writeSum = (sum: object) => securityLog[level]({ ...shared, outcome, ...sum })
      const kind = { key: `account ${entryPoint} ${outcome}`, writeSum }
      const detail = `${viewer} ${details.status} ${details.limit} ${details.reason}`
      if (!ALWAYS_WRITTEN.includes(outcome) && !lineSums.isNew(kind, networkOf(address), detail)) return
      // pino omits undefined fields.
      const fault = error === undefined ? {} : { err: error }
      securityLog[level]({ ...shared, outcome, viewer, address, requestId, ...details, ...fault })
    }
  }
}
