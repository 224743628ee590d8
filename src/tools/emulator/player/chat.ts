import type { DatabaseSync } from 'node:sqlite'
import express, { type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { routesOf } from '../http/methods.ts'
import { CONTENT_TYPES, type Content, type ContentType } from './content.ts'
import type { PlayerDeps } from './playbacks.ts'

/** A conversation of viewers. Also the folder of its paths. */
export type Conversation = 'chat' | 'qna'

const NewMessage = z.object({
  playback: z.string(),
  text: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text)),
})

const MAX_PAST_MESSAGES = 50
const KEEP_ALIVE_MS = 15_000

type Message = ReturnType<ReturnType<typeof openMessages>['add']>

interface Subscriber {
  readonly token: string
  readonly content: Pick<Content, 'type' | 'id'>
  readonly res: Response
}

/**
 * Routes of the chat, or of the Q&A, of all channels and videos. To read and to write, a caller needs a valid playback
 * token.
 */
export function chatRoutes(conversation: Conversation, { database, nowSeconds, playbacks }: PlayerDeps): Router {
  const messages = openMessages(conversation, database, nowSeconds)
  const subscribers = new Set<Subscriber>()
  const find = (token: unknown, type: ContentType, id: unknown) =>
    typeof token === 'string' ? playbacks.find(token, type, String(id)) : null

  const streamMessages =
    (type: ContentType): RequestHandler =>
    (req, res) => {
      const token = String(req.query.playback)
      const playback = find(req.query.playback, type, req.params.id)
      if (playback === null) return refuse(res)
      const after = Number(req.headers['last-event-id'] ?? req.query.after ?? 0)
      openStream(res)
      if (req.method === 'HEAD') return res.end()
      for (const message of messages.after(playback.content, Number.isSafeInteger(after) ? after : 0)) {
        sendEvent(res, message)
      }
      const subscriber = { token, content: playback.content, res }
      subscribers.add(subscriber)
      const keepAlive = setInterval(() => {
        // After the stream ends, the browser connects again and gets the 403.
        if (find(token, type, req.params.id) === null) res.end()
        else res.write(':\n\n')
      }, KEEP_ALIVE_MS)
      res.on('close', () => {
        clearInterval(keepAlive)
        subscribers.delete(subscriber)
      })
    }

  const addMessage =
    (type: ContentType): RequestHandler =>
    (req, res) => {
      const sent = NewMessage.safeParse(req.body)
      if (!sent.success) return res.status(400).json({ error: 'invalid_request' })
      const playback = find(sent.data.playback, type, req.params.id)
      if (playback === null) return refuse(res)
      const message = messages.add(playback.content, playback.viewer ?? playback.guestName, sent.data.text)
      for (const { token, content, res: stream } of subscribers) {
        if (content.type !== type || content.id !== playback.content.id) continue
        if (playbacks.find(token, type, String(content.id)) === null) stream.end()
        else sendEvent(stream, message)
      }
      return res.status(201).json(message)
    }

  const router = Router()
  for (const type of CONTENT_TYPES) {
    const path = `/${conversation}/${type === 'live' ? '' : 'recorded/'}:id/messages`
    const post = [express.json({ limit: '8kb' }), addMessage(type)]
    routesOf(router)(path, { get: streamMessages(type), post })
  }
  return router
}

function openMessages(conversation: Conversation, database: DatabaseSync, nowSeconds: () => number) {
  const insert = database.prepare(
    `INSERT INTO messages (conversation, content_type, content_id, author, text, sent_at_seconds)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const select = database.prepare(
    `SELECT * FROM (
       SELECT id, author, text, sent_at_seconds FROM messages
       WHERE conversation = ? AND content_type = ? AND content_id = ? AND id > ? ORDER BY id DESC LIMIT ${MAX_PAST_MESSAGES}
     ) ORDER BY id`,
  )
  const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString()
  return {
    add({ type, id }: Content, author: string, text: string) {
      const now = nowSeconds()
      const messageId = Number(insert.run(conversation, type, id, author, text, now).lastInsertRowid)
      return { id: messageId, author, text, sent_at: isoTime(now) }
    },
    /** The latest messages after a message id, oldest first. */
    after({ type, id }: Content, messageId: number) {
      return select.all(conversation, type, id, messageId).map((row) => ({
        id: Number(row.id),
        author: String(row.author),
        text: String(row.text),
        sent_at: isoTime(Number(row.sent_at_seconds)),
      }))
    },
  }
}

function refuse(res: Response): void {
  res.locals.explanation = 'Refused: the playback token is not valid for this channel or video, or has expired'
  res.status(403).set('Cache-Control', 'no-store').json({ error: 'forbidden' })
}

function openStream(res: Response): void {
  res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  res.flushHeaders()
  res.write('retry: 1000\n\n')
}

/** JSON.stringify() writes no line breaks, so the message is one line of data. */
function sendEvent(res: Response, message: Message): void {
  res.write(`id: ${message.id}\ndata: ${JSON.stringify(message)}\n\n`)
}
