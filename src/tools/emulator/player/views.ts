import express, { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { routesOf } from '../http/methods.ts'
import type { PlayerDeps } from './playbacks.ts'

/** Players send a heartbeat every ten seconds. A player silent for longer has crashed or lost its network. */
export const SILENT_FOR_SECONDS = 60

const Position = z.number().int().min(0).max(1_000_000).nullable()
const Moment = z.object({
  playback: z.string(),
  content_type: z.enum(['live', 'recorded']),
  content_id: z.string(),
  position: Position,
})
const Start = Moment.extend({
  view_session_id: z.uuid(),
  client_id: z.uuid(),
  view_type: z.enum(['onsite', 'offsite']),
})
const Heartbeat = Moment.extend({ segment_id: z.uuid() })
/** Needs no playback, because the playback may have expired. The id of the segment is enough. */
const End = z.object({ segment_id: z.uuid(), position: Position })

/** Routes for the view reports of players. The viewer is taken from the validated response, never from the report. */
export function viewRoutes({ nowSeconds, playbacks, segments }: PlayerDeps): Router {
  const findPlayback = ({ playback, content_type, content_id }: z.infer<typeof Moment>) =>
    playbacks.find(playback, content_type, content_id)

  const start = answer(Start, (report, req, res) => {
    const playback = findPlayback(report)
    if (playback === null) return res.status(403).json({ error: 'forbidden' })
    const segmentId = segments.start({
      contentType: playback.content.type,
      contentId: playback.content.id,
      startedAtSeconds: nowSeconds(),
      fromSeconds: report.position,
      clientId: report.client_id,
      viewSessionId: report.view_session_id,
      viewerIdentifier: playback.viewer,
      viewType: report.view_type,
      userAgent: req.headers['user-agent'] ?? '',
      address: req.socket.remoteAddress ?? '',
    })
    return res.status(201).json({ segment_id: segmentId })
  })

  const heartbeat = answer(Heartbeat, (report, _req, res) => {
    if (findPlayback(report) === null) return res.status(403).json({ error: 'forbidden' })
    segments.heartbeat(report.segment_id, { atSeconds: nowSeconds(), positionSeconds: report.position })
    return res.sendStatus(204)
  })

  const end = answer(End, (report, _req, res) => {
    segments.finish(report.segment_id, { atSeconds: nowSeconds(), positionSeconds: report.position })
    return res.sendStatus(204)
  })

  const router = Router()
  const json = express.json({ limit: '4kb' })
  for (const [name, handle] of Object.entries({ start, heartbeat, end })) {
    routesOf(router)(`/embed/views/${name}`, { post: [json, handle] })
  }
  return router
}

function answer<S extends z.ZodType>(
  schema: S,
  handle: (report: z.infer<S>, ...handlers: Parameters<RequestHandler>) => unknown,
): RequestHandler {
  return (req, res, next) => {
    const report = schema.safeParse(req.body)
    if (report.success) return handle(report.data, req, res, next)
    res.locals.explanation = 'The body of the view report is malformed'
    return res.status(400).json({ error: 'invalid_request' })
  }
}
