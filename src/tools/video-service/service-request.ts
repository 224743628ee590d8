export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
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
