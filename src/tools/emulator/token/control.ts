import { Router } from 'express'
import { z } from 'zod'
import { changed, isoTime, LATEST_SECONDS, refuse, send, Whole } from '../developer/control.ts'
import { routesOf } from '../http/methods.ts'
import type { ServiceKeys } from './service-keys.ts'

/** The service says "for a time"; login apps read the keys each hour. */
const OLD_KEY_SECONDS = 86_400
const Rotation = z.strictObject({
  old_key_seconds: Whole.pipe(z.int().min(0).max(LATEST_SECONDS)).default(OLD_KEY_SECONDS),
})

/** The route `/emulator/service-keys`: shows and rotates the keys. */
export function serviceKeyControl(serviceKeys: ServiceKeys): Router {
  const router = Router()
  const state = async () => {
    const keys = await serviceKeys.accepted()
    return {
      keys: keys.map(({ kid, createdAtSeconds, acceptedUntilSeconds: until }) => ({
        kid,
        created_at: isoTime(createdAtSeconds),
        accepted_until: until === null ? null : isoTime(until),
      })),
    }
  }
  routesOf(router)('/service-keys', {
    get: async (_req, res) => send(res, await state()),
    async post(req, res) {
      const parsed = Rotation.safeParse(req.body ?? {})
      if (!parsed.success) return refuse(res, 'Send old_key_seconds: whole seconds from 0, or nothing.')
      await serviceKeys.rotate(parsed.data.old_key_seconds)
      return changed(req, res, await state())
    },
  })
  return router
}
