import type { RequestHandler, Response } from 'express'

/**
 * Called when a request uses something that the documents do not have. Notes it for the request log.
 * @param what a phrase without secrets, such as 'a time with "Z"'.
 * @returns true if the request must be refused, because the emulator is strict.
 */
export type Beyond = (what: string) => boolean

/** Comes before all routes. Without it the emulator is not strict. */
export function strictness(isStrict: boolean): RequestHandler {
  return (_req, res, next) => {
    res.locals.isStrict = isStrict
    next()
  }
}

/** Returns the function that a room calls for this response. */
export function beyondDocuments(res: Response): Beyond {
  return (what) => {
    res.locals.beyondDocuments = [...new Set([...notedBeyond(res), what])]
    return res.locals.isStrict === true
  }
}

/** Returns what the request used beyond the documents, for the request log. */
export function notedBeyond(res: Response): readonly string[] {
  const noted: unknown = res.locals.beyondDocuments
  return Array.isArray(noted) ? noted.map(String) : []
}

/** Returns the sentence for the caller of a request that the strict emulator refuses. */
export function strictRefusal(what: string): string {
  return `The documents do not have ${what}, and this emulator is strict`
}
