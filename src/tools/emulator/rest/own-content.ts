import type { DatabaseSync } from 'node:sqlite'
import type { Request, RequestHandler, Response } from 'express'
import { formatOf, sendError } from './answer.ts'
import { accessOf } from './guard.ts'
import type { ContentType } from './lock-settings.ts'

/** The names of channels and videos in paths and messages. */
export const CONTENT_NAME: Record<ContentType, string> = { live: 'channel', recorded: 'video' }

/** Calls `work` if the channel or video exists (else 404) and belongs to the caller (else 403). */
export function onOwn(
  database: DatabaseSync,
  type: ContentType,
  work: (req: Request, res: Response, id: number) => void,
): RequestHandler {
  const find = database.prepare(`SELECT owner_id FROM ${CONTENT_NAME[type]}s WHERE id = ?`)
  return (req, res) => {
    const { id = '', format } = req.params as Record<string, string | undefined>
    if (format !== undefined && format !== formatOf(req)) {
      return sendError(res, 404, 'not_found', 'The format must be json or xml')
    }
    const row = /^[1-9]\d{0,14}$/.test(id) ? find.get(Number(id)) : undefined
    if (row === undefined) return sendError(res, 404, 'not_found', `No ${CONTENT_NAME[type]} has this id`)
    if (row.owner_id !== accessOf(res).userId) {
      return sendError(res, 403, 'lack_of_ownership', `The user of this token cannot manage this ${CONTENT_NAME[type]}`)
    }
    return work(req, res, Number(id))
  }
}
