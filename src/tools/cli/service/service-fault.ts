import {
  AuthorizationFailed,
  ServiceRefusal,
  ServiceUnreachable,
  UnexpectedAnswer,
} from '../../video-service/service-errors.ts'
import type { ServiceSettings } from '../../video-service/service-settings.ts'
import sentences from './service-faults.json' with { type: 'json' }

const WRONG_GIVEN_TOKEN =
  "The service does not accept the token in SERVICE_ACCESS_TOKEN, which may have expired. Get another with viewer-auth token, or remove the setting to use the client's own token."
const WRONG_LOGIN =
  'The service does not accept the login of SERVICE_LOGIN_FILE, which may have expired. Run viewer-auth login, or remove the setting.'
/** The message for each error value, documented or usual for OAuth 2.0 services. */
const SENTENCES = new Map(Object.entries(sentences))

type Settings = Pick<ServiceSettings, 'basicForm' | 'bearerForm' | 'accessToken' | 'loginFile'>

const A_MINUTE_MS = 60_000

/** Returns the time on the clock of this machine, such as "10:15:20". */
export function clockTime(timeMs: number): string {
  return new Date(timeMs).toTimeString().slice(0, 8)
}

/** Describes an error of the service, and what to do; null for an error that is not from the service. */
export function serviceFault(error: unknown, settings: Settings): string | null {
  if (error instanceof ServiceRefusal) {
    const { retryAfterMs } = error
    const sentence =
      retryAfterMs !== undefined && retryAfterMs > A_MINUTE_MS
        ? `The service takes no requests until ${clockTime(Date.now() + retryAfterMs)}. Try again then.`
        : sentenceFor(error, settings)
    if (sentence === undefined) return `${error.message}.`
    const quote = error.description === undefined ? '' : ` It says: ${error.description.replace(/\.?$/, '.')}`
    return `${sentence}${quote} (${error.error}, status ${error.status})`
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'No answer from the authorization page in time. Start again, and allow the access in the browser.'
  }
  const isKnown =
    error instanceof ServiceUnreachable ||
    error instanceof UnexpectedAnswer ||
    error instanceof AuthorizationFailed ||
    error instanceof RangeError
  return isKnown ? `${error.message}.` : null
}

function sentenceFor({ error }: ServiceRefusal, settings: Settings): string | undefined {
  switch (error) {
    case 'invalid_client':
      return wrongClient(settings)
    case 'unauthorized':
    case 'invalid_token':
      if (settings.accessToken !== null) return WRONG_GIVEN_TOKEN
      return settings.loginFile === null ? wrongToken(settings) : WRONG_LOGIN
    case 'invalid_grant':
      return settings.loginFile === null ? SENTENCES.get(error) : WRONG_LOGIN
    default:
      return SENTENCES.get(error)
  }
}

function wrongToken({ bearerForm }: Settings): string {
  return `The service does not accept the token. Check that all SERVICE_… addresses belong to one service, and check this machine's clock. If both are right, try SERVICE_BEARER_FORM=${otherForm(bearerForm)} for channels and locks.`
}

function otherForm(form: 'standard' | 'bare'): string {
  return form === 'bare' ? 'standard' : 'bare'
}

function wrongClient({ basicForm }: Settings): string {
  return `Unknown client or wrong client secret. Check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET. If both are right, try SERVICE_BASIC_FORM=${otherForm(basicForm)}.`
}
