import { z } from 'zod'
import { orUndefined } from '../../errors.ts'
import { jsonIn } from '../../json-text.ts'
import { ServiceRefusal, UnexpectedAnswer } from './service-errors.ts'
import type { ServiceAnswer, ServiceRequest } from './service-request.ts'

const TokenError = z.object({ error: z.string(), error_description: z.string().optional() })
const ReportErrors = z.object({ errors: z.array(z.unknown()).min(1) })
/** The documents leave the fields open. `detail` and `source.pointer` are in the newer form (JSON:API). */
const Words = z.string().optional().catch(undefined)
const ReportError = z.object({
  parameter: Words,
  message: Words,
  title: Words,
  detail: Words,
  source: z.object({ pointer: Words, parameter: Words }).optional().catch(undefined),
})
const XML_ERROR = /<error>([^<]{1,100})<\/error>(?:\s*<error_description>([^<]*)<\/error_description>)?/
/** Error values for errors of the analytics API, which have only texts. */
const REPORT_ERRORS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'server_error',
  503: 'server_error',
}
/** Error values for answers without an error format. */
const STATUS_ERRORS: Readonly<Record<number, string>> = { 401: 'unauthorized', 429: 'too_many_requests' }
const SECRET_FIELDS = ['client_secret', 'password', 'secret', 'code', 'code_verifier', 'refresh_token', 'token']
const MOST_CHARACTERS = 300

/**
 * Converts an answer with status 400 or above into an error: a ServiceRefusal for a documented error format, else an
 * UnexpectedAnswer.
 */
export function refusal(request: ServiceRequest, { status, body }: ServiceAnswer): Error {
  const secrets = secretsOf(request)
  const refused = (error: string, description?: string) =>
    new ServiceRefusal(
      clean(error, secrets),
      status,
      description === undefined ? undefined : clean(description, secrets),
    )
  const json = jsonIn(body)
  const single = TokenError.safeParse(json)
  if (single.success) return refused(single.data.error, single.data.error_description)
  const several = ReportErrors.safeParse(json)
  if (several.success)
    return refused(REPORT_ERRORS[status] ?? 'bad_request', several.data.errors.map(wordsOf).join('; '))
  const [, xmlError, xmlDescription] = XML_ERROR.exec(body) ?? []
  if (xmlError !== undefined) return refused(xmlError, xmlDescription)
  const { [status]: error } = STATUS_ERRORS
  if (error !== undefined) return refused(error)
  const { origin, pathname } = request.url
  const hint = status === 404 ? '. Check the SERVICE_…_URL settings' : ''
  return new UnexpectedAnswer(`${origin} answered ${pathname} with status ${status} and no error value${hint}`, {
    status,
  })
}

function wordsOf(item: unknown): string {
  const { parameter, message, title, detail, source } = ReportError.safeParse(item).data ?? {}
  const words = [parameter ?? source?.parameter ?? source?.pointer, detail ?? message ?? title]
    .filter((word) => word !== undefined)
    .join(': ')
  if (words !== '') return words
  // Undefined for a value that is nested too deeply.
  return orUndefined(() => JSON.stringify(item)) ?? 'an unreadable error'
}

/**
 * Returns the secrets of a request, as they are and form-encoded, because a service may repeat them in its error text.
 */
function secretsOf({ headers, form }: ServiceRequest): string[] {
  const [kind = '', credential = kind] = (headers?.Authorization ?? '').split(/ (.*)/)
  const basicSecret = kind === 'Basic' ? Buffer.from(credential, 'base64').toString().split(':')[1] : undefined
  const fields = SECRET_FIELDS.map((name) => form?.[name])
  const secrets = [credential, basicSecret, ...fields].filter((secret) => secret !== undefined && secret !== '')
  return secrets.flatMap((secret = '') => [secret, new URLSearchParams({ '': secret }).toString().slice(1)])
}

/** Makes text from the service safe for a terminal: no control characters, no secrets, at most 300 characters. */
function clean(text: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets.reduce((words, secret) => words.replaceAll(secret, '…'), text)
  return withoutSecrets.replace(/\p{Cc}+/gu, ' ').slice(0, MOST_CHARACTERS)
}
