import { UpstreamError } from '../../errors.ts'
import { faultEvent, type SignInEvent } from '../../login/sign-in-log.ts'

/** The store of open sign-ins, by the errors that it throws. */
const FLOW_STORES: readonly string[] = ['redis', 'sso-store']

/**
 * Returns the event of a request of a window, or of the frame that waits for the window, that an error ended.
 * @param outcomes the beginning of the outcomes of this way to sign in.
 */
export function windowFaultEvent(error: unknown, outcomes: string): SignInEvent {
  const isStoreAway = error instanceof UpstreamError && FLOW_STORES.includes(error.upstream)
  return isStoreAway ? { outcome: `${outcomes}-failed`, error } : faultEvent(error)
}
