/**
 * Errors without a status: only `src/login/screens/error-page.ts` turns an error into a status and a sentence. The
 * messages are for the log or the terminal, never for a viewer.
 */

/** Names a fault for a page, which has a sentence of its own in each language. Without a code, the page names none. */
export interface Coded {
  readonly code?: string
  readonly values?: Readonly<Record<string, string | number>>
}

/** A setting, file or argument of the operator is missing or wrong. The message says what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly coded: Coded
  constructor(message?: string, { coded = {}, ...options }: ErrorOptions & { readonly coded?: Coded } = {}) {
    super(message, options)
    this.coded = coded
  }
}

/** A service that the app depends on did not answer, or answered wrongly. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly upstream: string
  constructor(upstream: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.upstream = upstream
  }
}

/** The app is overloaded and did not begin the work. Thrown thousands of times, so it has no stack. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
  readonly retryAfterSeconds: number
  constructor(message: string, retryAfterSeconds: number) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Returns what the work returns; undefined if it throws. For parsers and lookups whose error says no more than that. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** True if a service that the app needs is away, or the app is overloaded. The same request may succeed later. */
export function isOutage(error: unknown): error is UpstreamError | OverloadedError {
  return error instanceof UpstreamError || error instanceof OverloadedError
}
