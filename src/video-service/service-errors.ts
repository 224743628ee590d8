/** What can go wrong with the video service, one class a kind. No message holds a token, a secret or a whole address. */

/** The service said no, with an error value of its documentation, such as `lack_of_ownership`, or for being asked too often. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal'
  /** The service's error value; `unauthorized` for a 401 that names none, `too_many_requests` for a 429. */
  readonly error: string
  readonly status: number
  /** The service's own words, where it has any: for the terminal, without control characters and what we sent in secret. */
  readonly description: string | undefined
  constructor(error: string, status: number, description?: string) {
    super(`The service refused: ${error} (status ${status})${description === undefined ? '' : `: ${description}`}`)
    this.error = error
    this.status = status
    this.description = description
  }
}

/** No answer came: no connection, a certificate that is not trusted, or too long a wait. */
export class ServiceUnreachable extends Error {
  override readonly name = 'ServiceUnreachable'
  readonly reason: 'connection' | 'certificate' | 'timeout'
  constructor(message: string, reason: ServiceUnreachable['reason'], options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** An answer came that the documentation does not know: another status, no JSON, missing fields, a redirect. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
}

/** The user pressed Deny, or the answer of the authorization page was not for our question. */
export class AuthorizationFailed extends Error {
  override readonly name = 'AuthorizationFailed'
}
