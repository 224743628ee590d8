import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { sendError } from '../rest/answer.ts'

const LONGEST_DELAY_MS = 60_000
const MOST_FAULTS = 100

/** A fault to be made. A path ending in "*" stands for all that begin so. */
export const NewFault = z
  .strictObject({
    path: z
      .string()
      .max(500)
      .regex(/^\/[^*]*\*?$/, 'must begin with "/"; only its end may be "*"'),
    method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
    /** Answered in place of the real answer. */
    status: z.int().min(400).max(599).optional(),
    /** Waited for before the answer, real or not. */
    delay_ms: z.int().min(1).max(LONGEST_DELAY_MS).optional(),
    /** Closes the connection without an answer. */
    hang_up: z.literal(true).optional(),
    /** Sent with the status as it is. */
    body: z.json().optional(),
    /** For how many requests. */
    count: z.int().min(1).max(1_000_000).default(1),
  })
  .refine(({ status, delay_ms, hang_up }) => status ?? delay_ms ?? hang_up, 'needs a status, a delay_ms or hang_up')
  .refine(({ path }) => !isOwnPath(path), 'must not be a path of the emulator’s own')

export type NewFault = z.infer<typeof NewFault>
export interface Fault extends NewFault {
  readonly id: number
  /** How many requests it still waits for. */
  readonly remaining: number
}

export interface Faults {
  readonly inject: RequestHandler
  list(): readonly Fault[]
  /** Null when there are too many already. */
  add(fault: NewFault): Fault | null
  remove(id: number): boolean
  clear(): void
}

/** Answers chosen requests with an error, late or not at all. The first fault that fits a request is the one. */
export function openFaults(): Faults {
  let faults: Fault[] = []
  let lastId = 0
  return {
    async inject(req, res, next) {
      const fault = faults.find((candidate) => fits(candidate, req))
      if (fault === undefined) return next()
      faults = faults.flatMap((kept) => (kept === fault ? (kept.remaining > 1 ? [oneLess(kept)] : []) : [kept]))
      res.locals.explanation = `A fault that was asked for (number ${fault.id})`
      if (fault.delay_ms !== undefined) await sleep(fault.delay_ms)
      if (fault.hang_up) return req.socket.destroy()
      return fault.status === undefined ? next() : answerFault(req, res, { ...fault, status: fault.status })
    },
    list: () => faults,
    add(fault) {
      if (faults.length >= MOST_FAULTS) return null
      lastId += 1
      const added = { ...fault, id: lastId, remaining: fault.count }
      faults = [...faults, added]
      return added
    },
    remove(id) {
      const before = faults.length
      faults = faults.filter((fault) => fault.id !== id)
      return faults.length < before
    },
    clear() {
      faults = []
    },
  }
}

/** What people need to see and to remove faults. */
function isOwnPath(path: string): boolean {
  return path === '/' || path.startsWith('/emulator') || path.startsWith('/assets/')
}

function fits({ path, method }: Fault, req: Request): boolean {
  if (isOwnPath(req.path)) return false
  if (method !== undefined && req.method !== method) return false
  return path.endsWith('*') ? req.path.startsWith(path.slice(0, -1)) : req.path === path
}

function oneLess(fault: Fault): Fault {
  return { ...fault, remaining: fault.remaining - 1 }
}

/** In the form in which the real answers of this path tell an error. */
function answerFault(req: Request, res: Response, { status, body }: Fault & { status: number }): void {
  const error = status >= 500 ? 'server_error' : 'invalid_request'
  const message = 'A fault that was asked for'
  res.status(status).set('Cache-Control', 'no-store')
  if (status === 429 || status === 503) res.set('Retry-After', '1')
  if (body !== undefined) res.json(body)
  else if (req.path.startsWith('/v1/')) res.json({ errors: [{ message }] })
  else if (req.path.endsWith('.xml')) sendError(res, status, error, message)
  else res.json({ error })
}
