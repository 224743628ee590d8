import type { Request } from 'express'
import { createSignInLog, type Outcomes, type SignInEvent, type SignInLogDeps } from './sign-in-log.ts'

/** A step on a page besides the sign-in, for the log. No field can contain a form, a query, a token or a mail address. */
type StepEvent = Pick<SignInEvent, 'outcome' | 'viewer' | 'status' | 'limit' | 'reason' | 'error'>

/** Logs a step of one request, also after its answer. */
export type LogStep = (event: StepEvent) => void

/** Returns the log for a request. */
export type LogSteps = (req: Request) => LogStep

/** Creates the function that logs the steps by which viewers change their accounts (OWASP ASVS 16.3.1, 16.3.3). */
export function createStepLog({ addressOf, ...deps }: SignInLogDeps): LogSteps {
  return (req) => {
    // A connection that has closed has no address.
    const address = addressOf(req)
    const log = createSignInLog({ ...deps, addressOf: () => address })
    return (event) => log(req, event)
  }
}

/** The outcomes that every page has. */
export const PAGE_OUTCOMES: Outcomes = {
  'not-from-own-page': { level: 'warn', counted: 'always' },
  'refused-request': { level: 'warn', counted: 'always' },
  failed: { level: 'error', counted: 'always' },
}
