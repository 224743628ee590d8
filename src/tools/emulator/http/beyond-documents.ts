import type { RequestHandler, Response } from 'express'

/** `refusesBeyond` for one response. */
export type RefusesBeyond = (what: string) => boolean

/** Comes before all routes. Without it the emulator is not strict. */
export function strictness(isStrict: boolean): RequestHandler {
  return (_req, res, next) => {
    res.locals.isStrict = isStrict
    next()
  }
}

/**
 * Notes for the request log that a request uses something beyond the documents.
 * @param what a phrase without secrets, such as 'a time with "Z"'.
 * @returns true if the request must be refused, because the emulator is strict.
 */
export function refusesBeyond(res: Response, what: string): boolean {
  res.locals.beyondDocuments = [...new Set([...notedBeyond(res), what])]
  return res.locals.isStrict === true
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
