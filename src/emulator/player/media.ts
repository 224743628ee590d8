import { fileURLToPath } from 'node:url'
import { type RequestHandler, Router } from 'express'
import { onlyMethods } from '../../server/only-methods.ts'
import { sendWrongMethod } from '../http/json-error.ts'
import type { ContentType } from './content.ts'
import type { Playbacks } from './playbacks.ts'

const CLIP = fileURLToPath(new URL('clip.webm', import.meta.url))

/** The video itself, in ranges, for a playback that has not ended. Every content shows the same clip. */
export function mediaRoutes({ playbacks }: { playbacks: Pick<Playbacks, 'find'> }): Router {
  const send =
    (type: ContentType): RequestHandler =>
    (req, res, next) => {
      const { playback } = req.query
      const id = String(req.params.id)
      if (typeof playback !== 'string' || playbacks.find(playback, type, id) === null) {
        res.locals.explanation = 'Refused: no playback of this content with this token, or it has ended'
        return res.status(403).set('Cache-Control', 'no-store').json({ error: 'forbidden' })
      }
      // A kept copy would still play after the playback has ended.
      return res.sendFile(CLIP, { cacheControl: false, headers: { 'Cache-Control': 'private, no-store' } }, (error) => {
        // A player that has enough of it hangs up: nothing to answer.
        if (error && !res.headersSent) next(error)
      })
    }
  const router = Router()
  const onlyGet = onlyMethods('GET, HEAD', sendWrongMethod)
  router.route('/media/:id/video.webm').get(send('live')).all(onlyGet)
  router.route('/media/recorded/:id/video.webm').get(send('recorded')).all(onlyGet)
  return router
}
