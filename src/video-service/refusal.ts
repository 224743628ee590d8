import { z } from 'zod'
import { ServiceRefusal, UnexpectedAnswer } from './service-errors.ts'
import type { ServiceAnswer, ServiceRequest } from './service-request.ts'

const TokenError = z.object({ error: z.string(), error_description: z.string().optional() })
const ReportErrors = z.object({ errors: z.array(z.unknown()).min(1) })
const ReportError = z.object({ parameter: z.string().optional(), message: z.string().optional() })
const XML_ERROR = /<error>([^<]{1,100})<\/error>(?:\s*<error_description>([^<]*)<\/error_description>)?/
/** What an error of the analytics API, which has a list of sentences only, is called elsewhere. */
const REPORT_ERRORS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'server_error',
  503: 'server_error',
}
/** What a status alone says. */
const STATUS_ERRORS: Readonly<Record<number, string>> = { 401: 'unauthorized', 429: 'too_many_requests' }
const SECRET_FIELDS = ['client_secret', 'password', 'secret', 'code']
const MOST_LETTERS = 300

/** What an answer with a status of 400 or above says, in one of the documented forms of errors or none. */
export function refusal(request: ServiceRequest, { status, body }: ServiceAnswer): Error {
  const secrets = secretsOf(request)
  const refused = (error: string, description?: string) =>
    new ServiceRefusal(
      clean(error, secrets),
      status,
      description === undefined ? undefined : clean(description, secrets),
    )
  const json = jsonOrNull(body)
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
  return new UnexpectedAnswer(`${origin} answered ${pathname} with status ${status} and no error value`)
}

function wordsOf(item: unknown): string {
  const { parameter, message } = ReportError.safeParse(item).data ?? {}
  const words = [parameter, message].filter((word) => word !== undefined).join(': ')
  if (words !== '') return words
  try {
    return JSON.stringify(item)
  } catch {
    // Nested deeper than the stack is.
    return 'an error without words'
  }
}

/** What was sent for nobody else to see, and a service may repeat in its words: as it is, and as it was sent in a form. */
function secretsOf({ headers, form }: ServiceRequest): string[] {
  const [kind = '', credential = kind] = (headers?.Authorization ?? '').split(/ (.*)/)
  const basicSecret = kind === 'Basic' ? Buffer.from(credential, 'base64').toString().split(':')[1] : undefined
  const fields = SECRET_FIELDS.map((name) => form?.[name])
  const secrets = [credential, basicSecret, ...fields].filter((secret) => secret !== undefined && secret !== '')
  return secrets.flatMap((secret = '') => [secret, new URLSearchParams({ '': secret }).toString().slice(1)])
}

/** What others wrote goes to a terminal: without control characters and our secrets, and not without end. */
function clean(text: string, secrets: readonly string[]): string {
  const told = secrets.reduce((words, secret) => words.replaceAll(secret, '…'), text)
  return told.replace(/\p{Cc}+/gu, ' ').slice(0, MOST_LETTERS)
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
