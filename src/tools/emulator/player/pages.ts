import { fileURLToPath } from 'node:url'
import express, { type RequestHandler, Router } from 'express'
import { routesOf } from '../http/methods.ts'
import { CONTENT_TYPES, type ContentType, contentPath } from './content.ts'
import { EMBEDS, embedPage } from './embed-page.ts'
import { ownResource } from './entry-address.ts'
import { setCustomerPolicy, setReturnPolicy } from './page-policy.ts'
import type { PlayerDeps } from './playbacks.ts'
import { sendNotFound, view } from './views-folder.ts'

const PUBLIC = fileURLToPath(new URL('public', import.meta.url))

/** Routes of the pages: the customer's page, the player, the chat, both combined, and the return pages. */
export function pageRoutes(deps: PlayerDeps): Router {
  const router = Router()
  const page = (path: string, ...get: RequestHandler[]) => routesOf(router)(path, { get })
  router.use('/assets', express.static(PUBLIC, { index: false }))
  page('/embed/hashlock/pass', (_req, res) => {
    setReturnPolicy(res)
    res.render(view('return'), { resource: '' })
  })
  page('/channel/:id', customerPage('live', deps))
  page('/video/:id', customerPage('recorded', deps))
  for (const type of CONTENT_TYPES) {
    const id = type === 'live' ? ':id' : 'recorded/:id'
    const atPublicUrl = onlyAtPublicUrl(deps.publicUrl)
    for (const kind of ['player', 'chat', 'qna', 'combined'] as const) {
      page(`/${EMBEDS[kind].folder}/${id}`, atPublicUrl, embedPage(kind, type, deps))
    }
    page(`/chat/authorize/${id}`, chatReturnPage(type, deps))
  }
  return router
}

/** Redirects other names of this machine to one origin: responses return there, and the browser storage is there. */
function onlyAtPublicUrl(publicUrl: string): RequestHandler {
  const { host } = new URL(publicUrl)
  return (req, res, next) => {
    if (req.headers.host === host) return next()
    res.locals.explanation = `The address of the player is ${publicUrl}`
    return res.redirect(307, publicUrl + req.originalUrl)
  }
}

function chatReturnPage(type: ContentType, { publicUrl, findContent }: PlayerDeps): RequestHandler {
  return (req, res) => {
    if (findContent(type, String(req.params.id)) === null) return sendNotFound(res, publicUrl)
    const resource = ownResource(req.query.resource, publicUrl)
    if (resource === null) {
      res.locals.explanation = 'Refused: resource is not the path of a chat, Q&A or combined embed of this service'
      const message = 'It leads outside this service. Open the chat again.'
      return res.status(400).render(view('message'), { heading: 'Something is wrong with this link', message })
    }
    setReturnPolicy(res)
    return res.render(view('return'), { resource })
  }
}

function customerPage(type: ContentType, { publicUrl, findContent }: PlayerDeps): RequestHandler {
  return (req, res) => {
    const content = findContent(type, String(req.params.id))
    if (content === null) return sendNotFound(res, publicUrl)
    setCustomerPolicy(res, publicUrl, content)
    return res.render(view('customer-page'), { content, publicUrl, path: contentPath(content) })
  }
}
