import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { sendJsonError } from '../http/json-error.ts'
import { ownPagesAndPrograms } from '../http/loopback-only.ts'
import { routesOf } from '../http/methods.ts'
import type { SettableClock } from './clock.ts'
import type { EmulatorDeps } from './emulator-deps.ts'
import { NewFault } from './faults.ts'
import { linesOf, programSettings } from './program-settings.ts'

/** 9999-12-31T23:59:59Z, the last time with a four-digit year. */
export const LATEST_SECONDS = 253_402_300_799

/** Accepts a number, or digits in a form field. Coercing null would set the year 1970. */
export const Whole = z
  .union([z.number(), z.string().regex(/\d/).transform(Number)])
  .pipe(z.int('must be a whole number'))
const Time = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time with offset, such as 2026-11-21T10:00:00Z' })
  .transform((text) => Math.floor(Date.parse(text) / 1000))

/** JSON, or the text of a form field. */
const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
const frozen = Flag.optional()
/** One new time, with or without `frozen`; or `frozen` alone; or the real time. */
const ClockChange = z.union([
  z.strictObject({ now: Time, frozen }).transform(({ now, ...rest }) => ({ now_seconds: now, ...rest })),
  z.strictObject({ now_seconds: Whole.pipe(z.int().min(0).max(LATEST_SECONDS)), frozen }),
  z.strictObject({ advance_seconds: Whole, frozen }),
  z.strictObject({ frozen: Flag }),
  z.strictObject({ real: Flag.pipe(z.literal(true)) }),
])

/** Also accepts a form: its numbers are text, and its unused fields are empty. */
const FaultForm = z.preprocess((body) => {
  if (typeof body !== 'object' || body === null) return body
  const given = Object.entries(body).filter(([, value]) => value !== '')
  const numbers = ['status', 'delay_ms', 'count']
  return Object.fromEntries(given.map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]))
}, NewFault)

/** Everything below `/emulator` but the request log. Changes come as JSON, or from the forms of the home page. */
export function controlRoutes(deps: EmulatorDeps): Router {
  const router = Router()
  router.use(
    ownPagesAndPrograms,
    express.json({ limit: '16kb' }),
    express.urlencoded({ extended: false, limit: '16kb' }),
  )
  const add = routesOf(router)
  add('/seed', {
    get: (_req, res) => send(res, Object.assign({ ...deps.seed }, ...deps.companions.map(({ seed }) => seed))),
  })
  add('/env', {
    get(_req, res) {
      const settings = programSettings(deps.publicUrl, deps.seed, deps.companions)
      res.set('Cache-Control', 'no-store').type('text/plain').send(linesOf(settings))
    },
  })
  add('/reset', {
    async post(req, res) {
      await deps.resetDatabase()
      deps.clock.reset()
      deps.faults.clear()
      deps.requestLog.clear()
      changed(req, res, { reset: true })
    },
  })
  addClockRoutes(add, deps)
  addFaultRoutes(add, deps)
  for (const { control } of deps.features) router.use(control)
  return router
}

type AddRoutes = ReturnType<typeof routesOf>

function addClockRoutes(add: AddRoutes, { clock }: EmulatorDeps): void {
  const state = () => ({
    now: isoTime(clock.nowSeconds()),
    now_seconds: clock.nowSeconds(),
    offset_seconds: clock.offsetSeconds(),
    frozen: clock.isFrozen(),
  })
  const change = (req: Request, res: Response) => {
    const parsed = ClockChange.safeParse(req.body)
    const target = parsed.success ? targetSeconds(parsed.data, clock) : Number.NaN
    if (!parsed.success || !(target >= 0 && target <= LATEST_SECONDS)) {
      const forms = 'now (ISO 8601 with offset), now_seconds, advance_seconds; real: true'
      return refuse(res, `Send one of: ${forms}; or frozen, alone or with a time. The year must be 1970 to 9999.`)
    }
    if ('real' in parsed.data) clock.reset()
    else {
      clock.set(target)
      if (parsed.data.frozen === true) clock.freeze()
      if (parsed.data.frozen === false) clock.unfreeze()
    }
    return changed(req, res, state())
  }
  add('/clock', { get: (_req, res) => send(res, state()), put: change, post: change })
}

function targetSeconds(change: z.infer<typeof ClockChange>, { nowSeconds }: SettableClock): number {
  if ('now_seconds' in change) return change.now_seconds
  return nowSeconds() + ('advance_seconds' in change ? change.advance_seconds : 0)
}

function addFaultRoutes(add: AddRoutes, { faults }: EmulatorDeps): void {
  const state = () => ({ faults: faults.list() })
  const addFault: RequestHandler = (req, res) => {
    const parsed = FaultForm.safeParse(req.body)
    if (!parsed.success) return refuse(res, z.prettifyError(parsed.error))
    return changed(req, res.status(201), faults.add(parsed.data))
  }
  const clear: RequestHandler = (req, res) => {
    faults.clear()
    changed(req, res, state())
  }
  const remove: RequestHandler = (req, res) => {
    if (faults.remove(Number(req.params.id))) return changed(req, res, state())
    return sendJsonError(res, 404, 'not_found', 'No fault has this id.')
  }
  add('/faults', { get: (_req, res) => send(res, state()), post: addFault, delete: clear })
  // Forms cannot send DELETE.
  add('/faults/clear', { post: clear })
  add('/faults/:id', { delete: remove })
}

export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

export function send(res: Response, body: object): void {
  res.set('Cache-Control', 'no-store').json(body)
}

/** Sends the new state to a program, and redirects a browser that posted a form back to the home page. */
export function changed(req: Request, res: Response, state: object): void {
  if (req.is('application/x-www-form-urlencoded') !== false && req.accepts(['json', 'html']) === 'html') {
    res.redirect(303, '/')
  } else send(res, state)
}

export function refuse(res: Response, description: string): void {
  sendJsonError(res, 400, 'invalid_request', description)
}
