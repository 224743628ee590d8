import { fileURLToPath } from 'node:url'
import express, { type RequestHandler, Router } from 'express'
import { routesOf } from '../http/methods.ts'
import { CONTENT_TYPES, type Content, type ContentType, contentFinder } from '../player/content.ts'
import { controlRoutes } from './control.ts'
import type { EmulatorDeps } from './emulator-deps.ts'
import { linesOf, programSettings } from './program-settings.ts'

const PUBLIC = fileURLToPath(new URL('public', import.meta.url))
const view = (name: string) => fileURLToPath(new URL(`./views/${name}.ejs`, import.meta.url))
const MAX_CONTENTS_SHOWN = 200

/** The home page `/`, the request log as a page or as JSON, and everything else below `/emulator`. */
export function developerRoutes(deps: EmulatorDeps): Router {
  const { publicUrl, seed, companions, features, isStrict, clock, faults, requestLog } = deps
  const contents = contentLister(deps)
  const router = Router()
  router.use('/assets', express.static(PUBLIC, { index: false }))
  const add = routesOf(router)
  const home: RequestHandler = (_req, res) => {
    const now = new Date(clock.nowSeconds() * 1000).toISOString()
    const pageOrigin = `http://page.localhost:${new URL(publicUrl).port}`
    const shown = contents()
    res.set('Cache-Control', 'no-store').render(view('home'), {
      publicUrl,
      pageOrigin,
      firstLocked: shown.find(({ type, lock }) => type === 'live' && lock !== null) ?? null,
      seed,
      guide: deps.guide,
      sections: [...companions, ...features].map(({ section }) => section),
      isStrict,
      programSettings: linesOf(programSettings(publicUrl, seed, companions)),
      contents: shown,
      now,
      offsetSeconds: clock.offsetSeconds(),
      isFrozen: clock.isFrozen(),
      faults: faults.list(),
    })
  }
  const requests: RequestHandler = (req, res) => {
    const after = Number(req.query.after ?? 0)
    const logged = requestLog.newestFirst(Number.isSafeInteger(after) ? after : 0)
    res.set({ 'Cache-Control': 'no-store', Vary: 'Accept' })
    // Only browsers prefer HTML to JSON.
    if (req.accepts(['json', 'html']) === 'html') res.render(view('requests'), { requests: logged })
    else res.json({ requests: logged })
  }
  add('/', { get: home })
  add('/emulator/requests', { get: requests })
  router.use('/emulator', controlRoutes(deps))
  return router
}

/** Returns a function that lists all channels and videos with their current locks. */
function contentLister({
  database,
  features,
}: Pick<EmulatorDeps, 'database' | 'features'>): () => (Content & { owner: string })[] {
  const find = contentFinder(database, features)
  const select = {
    live: list('channels'),
    recorded: list('videos'),
  }
  function list(table: 'channels' | 'videos') {
    return database.prepare(
      `SELECT ${table}.id, username FROM ${table} JOIN users ON users.id = owner_id ORDER BY ${table}.id LIMIT ?`,
    )
  }
  const all = (type: ContentType) =>
    select[type].all(MAX_CONTENTS_SHOWN).flatMap((row) => {
      const content = find(type, String(row.id))
      return content === null ? [] : [{ ...content, owner: String(row.username) }]
    })
  return () => CONTENT_TYPES.flatMap(all)
}
