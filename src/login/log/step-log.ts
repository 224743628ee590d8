import type { Request } from 'express'
import { networkOf } from '../../sign-in-limits/keys.ts'
import { type Outcomes, requestIdOf, type SignInLogDeps } from './sign-in-log.ts'

/** A step on a page besides the sign-in, for the log. No field can contain a form, a query, a token or a mail address. */
export interface StepEvent {
  /** A key of the outcomes of the log. */
  readonly outcome: string
  readonly viewer?: string | undefined
  readonly status?: number
  readonly limit?: string
  readonly reason?: string
  readonly error?: unknown
}

/** Logs a step of one request, also after its answer. */
export type LogStep = (event: StepEvent) => void
/** Returns the log for a request. */
export type LogSteps = (req: Request) => LogStep

export interface StepLogDeps
  extends Pick<SignInLogDeps, 'securityLog' | 'repeatFilter' | 'entryPoint' | 'addressOf' | 'outcomes'> {
  /** The `event` of its lines. */
  readonly event: string
  /** Called for each step. */
  readonly count?: ((outcome: string, entryPoint: string) => void) | undefined
}

/** Creates the function that logs the steps by which viewers change their accounts (OWASP ASVS 16.3.1, 16.3.3). */
export function createStepLog(deps: StepLogDeps): LogSteps {
  const { securityLog, repeatFilter, entryPoint, addressOf, outcomes, event, count = () => {} } = deps
  const shared = { event, entryPoint }

  return (req) => {
    const address = addressOf(req)
    const requestId = requestIdOf(req)
    return ({ outcome, viewer: typed, error, ...details }) => {
      const { level, counted } = outcomes[outcome] ?? { level: 'warn', counted: 'always' }
      const viewer = typed?.slice(0, 255)
      count(outcome, entryPoint)
      const writeSum = (sum: object) => securityLog[level]({ ...shared, outcome, ...sum })
      const kind = { key: `${event} ${entryPoint} ${outcome}`, writeSum }
      const detail = `${viewer} ${details.status} ${details.limit} ${details.reason}`
      if (counted === 'always' && !repeatFilter.isNew(kind, networkOf(address), detail)) return
      // pino omits undefined fields.
      const fault = error === undefined ? {} : { err: error }
      securityLog[level]({ ...shared, outcome, viewer, address, requestId, ...details, ...fault })
    }
  }
}

/** The outcomes that every page has. */
export const PAGE_OUTCOMES: Outcomes = {
  'not-from-own-page': { level: 'warn', counted: 'always' },
  'refused-request': { level: 'warn', counted: 'always' },
  failed: { level: 'error', counted: 'always' },
}
