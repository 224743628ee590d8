import { setTimeout as sleep } from 'node:timers/promises'
import type { NextFunction, Request, Response } from 'express'
import { z } from 'zod'
import { sendError } from '../rest/answer.ts'

/** Longer than any client of ours waits. */
const MAX_DELAY_MS = 180_000

/** A fault that a developer asks for. A path ending in "*" matches every path with that prefix. */
export const NewFault = z
  .strictObject({
    path: z
      .string()
      .max(500)
      .regex(/^\/[^*]*\*?$/, 'must begin with "/" and may have "*" only at the end'),
    method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
    /** Replaces the real response. */
    status: z.int().min(400).max(599).optional(),
    /** Delays the response, real or not. */
    delay_ms: z.int().min(1).max(MAX_DELAY_MS).optional(),
    /** Closes the connection without a response. */
    hang_up: z.literal(true).optional(),
    /** Fields to replace in the answer of a companion that allows it; null removes a field. */
    change: z.record(z.string(), z.json()).optional(),
    /** Sent unchanged with the status. */
    body: z.json().optional(),
    /** Number of requests that fail. */
    count: z.int().min(1).max(1_000_000).default(1),
  })
  .refine(
    ({ status, delay_ms, hang_up, change }) => status ?? delay_ms ?? hang_up ?? change,
    'needs a status, a delay_ms, hang_up or change',
  )
  .refine(({ path }) => !isOwnPath(path), 'must not be a path of the emulator itself')

export type NewFault = z.infer<typeof NewFault>
export interface Fault extends NewFault {
  readonly id: number
  /** Number of requests that will still fail. */
  readonly remaining: number
}

export type Faults = ReturnType<typeof openFaults>

/** Makes chosen requests fail, late or at once. The first fault that matches a request applies. */
export function openFaults() {
  let faults: Fault[] = []
  let lastId = 0
  return {
    async inject(req: Request, res: Response, next: NextFunction): Promise<unknown> {
      const fault = faults.find((candidate) => matches(candidate, req))
      if (fault === undefined) return next()
      faults = faults
        .map((other) => (other === fault ? { ...fault, remaining: fault.remaining - 1 } : other))
        .filter(({ remaining }) => remaining > 0)
      res.locals.explanation = `Injected fault ${fault.id}`
      res.locals.change = fault.change
      // A client that gives up does not stop the request. An emulator that stops does not wait for it.
      if (fault.delay_ms !== undefined) await sleep(fault.delay_ms, undefined, { ref: false })
      if (fault.hang_up) return req.socket.destroy()
      return fault.status === undefined ? next() : answerFault(req, res, { ...fault, status: fault.status })
    },
    list: (): readonly Fault[] => faults,
    add(fault: NewFault): Fault {
      lastId += 1
      const added = { ...fault, id: lastId, remaining: fault.count }
      faults = [...faults, added]
      return added
    },
    remove(id: number): boolean {
      const before = faults.length
      faults = faults.filter((fault) => fault.id !== id)
      return faults.length < before
    },
    clear(): void {
      faults = []
    },
  }
}

/** The pages that show and remove faults must not fail. */
function isOwnPath(path: string): boolean {
  return path === '/' || path.startsWith('/emulator') || path.startsWith('/assets/')
}

function matches({ path, method }: Fault, req: Request): boolean {
  if (isOwnPath(req.path)) return false
  if (method !== undefined && req.method !== method) return false
  return path.endsWith('*') ? req.path.startsWith(path.slice(0, -1)) : req.path === path
}

/** Uses the error format of the real endpoint. */
function answerFault(req: Request, res: Response, { status, body }: Fault & { status: number }): void {
  const error = status >= 500 ? 'server_error' : 'invalid_request'
  const message = 'Injected fault'
  res.status(status).set('Cache-Control', 'no-store')
  if (status === 429 || status === 503) res.set('Retry-After', '1')
  if (status === 429) {
    // Newer than the two documents.
    const reset = String(Math.ceil(Date.now() / 1_000) + 1)
    res.set({ 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset })
  }
  if (body !== undefined) res.json(body)
  else if (req.path.startsWith('/v1/')) res.json({ errors: [{ message }] })
  else if (req.path.endsWith('.xml')) sendError(res, status, error, message)
  else res.json({ error })
}
