import { UpstreamError } from '../../errors.ts'
import { faultEvent, type SignInEvent } from '../../login/sign-in-log.ts'

/** The store of open sign-ins, by the errors that it throws. */
const FLOW_STORES: readonly string[] = ['redis', 'sso-store']

/** Returns the event of a request of a window, or of the frame that waits for the window, that an error ended. */
export function windowFaultEvent(error: unknown): SignInEvent {
  const isStoreAway = error instanceof UpstreamError && FLOW_STORES.includes(error.upstream)
  return isStoreAway ? { outcome: 'sso-failed', error } : faultEvent(error)
}
