import type { DatabaseSync } from 'node:sqlite'
import { type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { onlyMethods } from '../../../server/only-methods.ts'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
import { refusesBeyond, strictRefusal } from '../http/beyond-documents.ts'
import { routesOf } from '../http/methods.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { sendError, sendJson, sendRecord, sendWrongMethod } from './answer.ts'
import { tokenRequired, userIdOf } from './guard.ts'
import { anyBody, bodyParameters, PlainText } from './parameters.ts'

const MAX_TITLE_LENGTH = 255
const MAX_SLUG_LENGTH = 80
const JSON_BODY = 'a JSON body in place of a form'
const Title = PlainText.max(MAX_TITLE_LENGTH).regex(/\S/)

const MAX_PAGE_SIZE = 100
const LIST_SIZES = `from 1 to ${MAX_PAGE_SIZE}`
const ListPage = z.object({
  q: z.string().max(MAX_TITLE_LENGTH).default(''),
  p: z.coerce.number().int().min(1).max(1_000_000).default(1),
  pagesize: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(MAX_PAGE_SIZE),
})

/** Routes of `/users/self/channels.json`, and of the short links of channels. */
export function channelRoutes(deps: ServiceDeps): Router {
  const { database } = deps
  const router = Router({ caseSensitive: true, strict: true })
  const list: RequestHandler = (req, res, next) => {
    // The document has no list of channels.
    if (refusesBeyond(res, 'a list of channels')) return onlyMethods('POST', sendWrongMethod)(req, res, next)
    const page = ListPage.safeParse(req.query)
    if (!page.success) return sendError(res, 400, 'invalid_request', `p must be 1 or more, pagesize ${LIST_SIZES}`)
    return sendJson(res, 200, listOf(deps, userIdOf(res), page.data))
  }
  const create: RequestHandler = (req, res) => {
    const parameters = bodyParameters(req)
    if (!parameters.ok) return sendError(res, parameters.status, 'invalid_request', `The body ${parameters.reason}`)
    const isJson = Boolean(req.is('application/json'))
    if (isJson && refusesBeyond(res, JSON_BODY)) return sendError(res, 400, 'invalid_request', strictRefusal(JSON_BODY))
    const title = Title.safeParse(parameters.values.title)
    if (title.success) return createChannel(deps, res, title.data)
    const fault = parameters.values.title === undefined ? 'is missing' : 'is blank, too long or has control characters'
    return sendError(res, 400, 'invalid_request', `title ${fault}`)
  }
  const token = tokenRequired(deps)
  routesOf(router, sendWrongMethod)('/users/self/channels.json', { get: [token, list], post: [token, anyBody, create] })
  router.get('/t/:code', (req, res, next) => {
    const id = /^[0-9a-z]{1,10}$/.test(req.params.code) ? Number.parseInt(req.params.code, 36) : -1
    const row = database.prepare('SELECT id FROM channels WHERE id = ?').get(id)
    if (row === undefined) return next()
    return res.redirect(302, `/channel/${row.id}`)
  })
  return router
}

/** Returns one page of the channels whose title contains `q`, with links to the pages around it. */
function listOf({ database, publicUrl }: ServiceDeps, userId: number, { q, p, pagesize }: z.output<typeof ListPage>) {
  const rows = database
    .prepare(
      'SELECT id, title, url FROM channels WHERE owner_id = ? AND instr(title, ?) > 0 ORDER BY id LIMIT ? OFFSET ?',
    )
    .all(userId, q, pagesize + 1, (p - 1) * pagesize)
  const to = (page: number) => {
    const query = new URLSearchParams({ ...(q !== '' && { q }), pagesize: String(pagesize), p: String(page) })
    return { href: `${publicUrl}/users/self/channels.json?${query}` }
  }
  return {
    channels: rows.slice(0, pagesize).map((row) => channelRecord(row, publicUrl)),
    paging: {
      ...(p > 1 && { previous: to(p - 1) }),
      actual: to(p),
      ...(rows.length > pagesize && { next: to(p + 1) }),
    },
  }
}

function createChannel({ database, nowSeconds, publicUrl }: ServiceDeps, res: Response, title: string): void {
  const channel = inTransaction(database, () => {
    const { lastInsertRowid: id } = database
      .prepare(`INSERT INTO channels (title, url, owner_id, created_at_seconds) VALUES (?, '', ?, ?)`)
      .run(title, userIdOf(res), nowSeconds())
    const url = freeSlug(database, title, id)
    database.prepare('UPDATE channels SET url = ? WHERE id = ?').run(url, id)
    return channelRecord({ id, title, url }, publicUrl)
  })
  sendRecord(res, 201, 'channel', channel)
}

const Row = z.object({ id: z.union([z.number(), z.bigint()]), title: z.string(), url: z.string() })

function channelRecord(row: unknown, publicUrl: string) {
  const { id, title, url } = Row.parse(row)
  return { id: String(id), title, url, tiny_url: `${publicUrl}/t/${id.toString(36)}` }
}

/** Makes a slug from the title. Appends the id until no other channel has the slug. */
export function freeSlug(database: DatabaseSync, title: string, id: number | bigint): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '')
  const taken = database.prepare('SELECT 1 FROM channels WHERE url = ?')
  let free = slug === '' ? `channel-${id}` : slug
  while (taken.get(free) !== undefined) free = `${free}-${id}`
  return free
}
