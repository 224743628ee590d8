import { fileURLToPath } from 'node:url'
import express, { type RequestHandler, type Response, Router } from 'express'
import { onlyMethods } from '../../server/only-methods.ts'
import { sendWrongMethod } from '../http/json-error.ts'
import { CONTENT_TYPES, type Content, type ContentType, contentPath, type FindContent } from './content.ts'
import { chatConsumer, entryAddress, ownResource } from './entry-address.ts'
import { setCustomerPolicy, setPlayerPolicy, setReturnPolicy } from './page-policy.ts'

const PUBLIC = fileURLToPath(new URL('public', import.meta.url))
const view = (name: string) => fileURLToPath(new URL(`views/${name}.ejs`, import.meta.url))

export interface PageDeps {
  readonly publicUrl: string
  readonly findContent: FindContent
}

/** Routes of the pages: the customer's page, the player, the chat, both combined, and the return pages. */
export function pageRoutes(deps: PageDeps): Router {
  const router = Router()
  const page = (path: string, ...handlers: RequestHandler[]) => {
    router
      .route(path)
      .get(...handlers)
      .all(onlyMethods('GET, HEAD', sendWrongMethod))
  }
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
    page(`/embed/${id}`, atPublicUrl, embedPage('player', type, deps))
    page(`/chat/${id}`, atPublicUrl, embedPage('chat', type, deps))
    page(`/combined/${id}`, atPublicUrl, embedPage('combined', type, deps))
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

function embedPage(kind: 'player' | 'chat' | 'combined', type: ContentType, deps: PageDeps): RequestHandler {
  return (req, res) => {
    const content = deps.findContent(type, String(req.params.id))
    if (content === null) return sendNotFound(res)
    setPlayerPolicy(res, content)
    return res.render(view(kind), { content, settings: JSON.stringify(gateSettings(kind, content, deps.publicUrl)) })
  }
}

/** The settings that `public/gate.js` reads from the page. */
function gateSettings(kind: 'player' | 'chat' | 'combined', content: Content, publicUrl: string) {
  const { lock } = content
  const path = contentPath(content)
  const consumer = kind === 'player' ? undefined : chatConsumer(publicUrl, content, `/${kind}/${path}`)
  return {
    kind,
    contentType: content.type,
    contentId: String(content.id),
    contentPath: path,
    entryUrl: lock === null ? null : entryAddress(lock, content, consumer),
    texts: gateTexts(kind, content),
    popupWidth: pixels(lock?.popupWidth),
    popupHeight: pixels(lock?.popupHeight),
  }
}

/** The texts of the gate by state. The message of the lock replaces the default. */
function gateTexts(kind: 'player' | 'chat' | 'combined', { lock }: Content): Record<string, string> {
  return {
    locked: lock?.message ?? (kind === 'chat' ? 'Log in to join the chat.' : 'Log in to watch.'),
    checking: 'One moment…',
    cancelled: 'Login cancelled.',
    refused: 'The service rejected the login several times.',
    unreachable: 'The service is not responding.',
  }
}

/** Reads a size such as "400" or "400px"; null for any other text. */
function pixels(text: string | null | undefined): number | null {
  const digits = /^(\d{1,4})(px)?$/.exec(text ?? '')?.[1]
  return digits === undefined || Number(digits) === 0 ? null : Number(digits)
}

function chatReturnPage(type: ContentType, { publicUrl, findContent }: PageDeps): RequestHandler {
  return (req, res) => {
    if (findContent(type, String(req.params.id)) === null) return sendNotFound(res)
    const resource = ownResource(req.query.resource, publicUrl)
    if (resource === null) {
      res.locals.explanation = 'Refused: resource is not the path of a chat or combined embed of this service'
      const message = 'It leads outside this service. Open the chat again.'
      return res.status(400).render(view('message'), { heading: 'Something is wrong with this link', message })
    }
    setReturnPolicy(res)
    return res.render(view('return'), { resource })
  }
}

function customerPage(type: ContentType, { publicUrl, findContent }: PageDeps): RequestHandler {
  return (req, res) => {
    const content = findContent(type, String(req.params.id))
    if (content === null) return sendNotFound(res)
    setCustomerPolicy(res, publicUrl)
    return res.render(view('customer-page'), { content, publicUrl, path: contentPath(content) })
  }
}

function sendNotFound(res: Response): void {
  const message = 'There is no channel or video with this ID. It may have been deleted, or the emulator was reset.'
  res.status(404).render(view('message'), { heading: 'Page not found', message })
}
