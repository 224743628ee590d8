import {
  AuthorizationFailed,
  ServiceRefusal,
  ServiceUnreachable,
  UnexpectedAnswer,
} from '../../video-service/service-errors.ts'
import type { ServiceSettings } from '../../video-service/service-settings.ts'

const LATER = 'The service cannot handle the request now: try again in a minute.'
const WRONG_TOKEN =
  "The service does not accept the token: check that all SERVICE_… addresses are of one service, and this machine's clock."
/** What to do about each documented error value, and those that services of this kind have besides. */
const SENTENCES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    invalid_request: 'The service finds something in the request missing or malformed.',
    unsupported_grant_type: 'The service does not have this way to get a token: choose another with --grant.',
    invalid_grant:
      'The user name or the password is wrong, or the authorization code has been used or has expired: begin again.',
    invalid_scope: 'The service does not give this scope: broadcaster goes with --type mac only.',
    server_error: LATER,
    invalid_type: "The service does not take the entry point's address: PUBLIC_URL must be one that it can reach.",
    lack_of_ownership:
      'The channel or video belongs to another user: set SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET to those of a client of its owner.',
    not_found: 'The service knows no such channel or video, or it has no lock of its own: see channel list.',
    unauthorized: WRONG_TOKEN,
    invalid_token: WRONG_TOKEN,
    insufficient_scope: 'The token may not do this: ask the service for a client that may.',
    bad_request: 'The service does not take the question.',
    too_many_requests: 'The service is asked too often: try again in a few minutes.',
  }),
)

/** What went wrong with the service, as a sentence that says what to do; null for what is not the service's. */
export function serviceFault(error: unknown, settings: Pick<ServiceSettings, 'basicForm'>): string | null {
  if (error instanceof ServiceRefusal) {
    const sentence = error.error === 'invalid_client' ? wrongClient(settings) : SENTENCES.get(error.error)
    if (sentence === undefined) return `${error.message}.`
    const words = error.description === undefined ? '' : ` It says: ${error.description.replace(/\.?$/, '.')}`
    return `${sentence}${words} (${error.error}, status ${error.status})`
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'Nobody allowed the access on the authorization page in time: begin again.'
  }
  const isKnown =
    error instanceof ServiceUnreachable ||
    error instanceof UnexpectedAnswer ||
    error instanceof AuthorizationFailed ||
    error instanceof RangeError
  return isKnown ? `${error.message}.` : null
}

function wrongClient({ basicForm }: Pick<ServiceSettings, 'basicForm'>): string {
  const other = basicForm === 'bare' ? 'standard' : 'bare'
  return `The service does not know this client, or its secret is another: check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET; if both are right, try SERVICE_BASIC_FORM=${other}.`
}
