import { fileURLToPath } from 'node:url'
import { type RequestHandler, Router } from 'express'
import { routesOf } from '../http/methods.ts'
import type { ContentType } from './content.ts'
import type { PlayerDeps } from './playbacks.ts'

const CLIP = fileURLToPath(new URL('clip.webm', import.meta.url))

/** Serves the video file, with ranges, for a valid playback token. All channels and videos show the same clip. */
export function mediaRoutes({ playbacks }: PlayerDeps): Router {
  const send =
    (type: ContentType): RequestHandler =>
    (req, res, next) => {
      const { playback } = req.query
      const id = String(req.params.id)
      if (typeof playback !== 'string' || playbacks.find(playback, type, id) === null) {
        res.locals.explanation = 'Refused: the playback token is not valid for this channel or video, or has expired'
        return res.status(403).set('Cache-Control', 'no-store').json({ error: 'forbidden' })
      }
      // A cached copy would play after the playback has expired.
      return res.sendFile(CLIP, { cacheControl: false, headers: { 'Cache-Control': 'private, no-store' } }, (error) => {
        // Players close the connection when they have enough: no error to answer.
        if (error && !res.headersSent) next(error)
      })
    }
  const router = Router()
  const add = routesOf(router)
  add('/media/:id/video.webm', { get: send('live') })
  add('/media/recorded/:id/video.webm', { get: send('recorded') })
  return router
}
