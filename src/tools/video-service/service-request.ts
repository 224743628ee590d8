export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  /** Fields without a value are left out. */
  readonly form?: Readonly<Record<string, string | undefined>> | undefined
  /** For the whole answer. Each retry gets the same time again. */
  readonly timeoutMs?: number
  /** The largest accepted answer, after decompression. */
  readonly mostBytes?: number
  /**
   * True for a question that changes nothing and may be asked again: then also after 429, 500, 502, 503, 504 and a lost
   * connection, up to five times.
   */
  readonly isQuestion?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface ServiceAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Returns the fields that have a value. */
export function givenFields(fields: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  const given = Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string')
  return Object.fromEntries(given)
}
