/** The errors of the video service. No message contains a token, a secret or a whole address. */

/**
 * The service refused a request: with a documented error value such as `lack_of_ownership`, or after too many requests.
 */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal'
  /** The service's error value. A 401 without one is `unauthorized`; a 429 is `too_many_requests`. */
  readonly error: string
  readonly status: number
  /** The wait that the service asks for before a retry. */
  retryAfterMs: number | undefined
  /** The service's explanation, if any. Safe for a terminal: without control characters and without our secrets. */
  readonly description: string | undefined
  constructor(error: string, status: number, description?: string) {
    super(`The service refused: ${error} (status ${status})${description === undefined ? '' : `: ${description}`}`)
    this.error = error
    this.status = status
    this.description = description
  }
}

/** No answer: no connection, an untrusted certificate, or a timeout. */
export class ServiceUnreachable extends Error {
  override readonly name = 'ServiceUnreachable'
  readonly reason: 'connection' | 'certificate' | 'timeout'
  constructor(message: string, reason: ServiceUnreachable['reason'], options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** An undocumented answer: another status, no JSON, missing fields, too long, or a redirect. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  /** Only of an answer with status 400 or above. */
  readonly status: number | undefined
  /** The wait that the service asks for before a retry. */
  retryAfterMs: number | undefined
  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}

/** The user pressed Deny, or the redirect does not belong to our request or cannot be received. */
export class AuthorizationFailed extends Error {
  override readonly name = 'AuthorizationFailed'
}

/** True for an error of a request to the service: refused, without an answer, or with an undocumented one. */
export function isRequestError(error: unknown): error is ServiceRefusal | ServiceUnreachable | UnexpectedAnswer {
  return [ServiceRefusal, ServiceUnreachable, UnexpectedAnswer].some((kind) => error instanceof kind)
}
