import { UpstreamError } from '../../errors.ts'
import { faultEvent, type SignInEvent } from '../../login/log/sign-in-log.ts'

/**
 * Returns the event for an error in a request of the window, or of the frame that waits for the window.
 * @param outcomes the beginning of the outcomes of this way to sign in.
 */
export function windowFaultEvent(error: unknown, outcomes: string): SignInEvent {
  const isStoreAway = error instanceof UpstreamError && error.upstream === 'sso-store'
  return isStoreAway ? { outcome: `${outcomes}-failed`, error } : faultEvent(error)
}
