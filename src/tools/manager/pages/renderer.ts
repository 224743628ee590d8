import { readdirSync } from 'node:fs'
import type { Response } from 'express'
import type { Brand } from '../../../brand/brand.ts'
import { isOutage } from '../../../errors.ts'
import { compileView } from '../../../login/screens/views.ts'
import type { Answer, Notice, Visit } from '../door/route.ts'
import type { LiveSession } from '../door/sessions.ts'
import type { ManagerAssets } from './assets.ts'
import type { Words } from './words.ts'

/** An entry of the navigation. Shown to the roles of its page. */
export interface Tab {
  readonly path: string
  /** The key of its text in `nav`. */
  readonly text: string
  readonly roles: readonly string[]
}

export interface RendererDeps {
  readonly brand: Brand
  readonly assets: ManagerAssets
  readonly tabs: readonly Tab[]
  /** Returns the notice for this page, and forgets it. */
  readonly takeNotice: (session: LiveSession) => Notice | null
}

const VIEWS = new URL('../../../../views/manager/', import.meta.url)

export type Renderer = ReturnType<typeof createRenderer>

type Visitor = Pick<Visit, 'words' | 'manager' | 'formToken'>

/** Renders the pages from the templates of `views/manager`. */
export function createRenderer({ brand, assets, tabs, takeNotice }: RendererDeps) {
  // Compiled at the start, so that the first page is as fast as the others.
  const views = new Map(viewNames().map((name) => [name, compileView(`manager/${name}`)]))
  const frame = (words: Words) => ({
    ...{ words, t: words.t, say: words.say, brand, styles: assets.styles },
    ...{ logo: assets.logo, darkLogo: assets.darkLogo, script: assets.address('manager.js') },
    ...{ manager: null, tabs: [], notice: null, token: '', current: '', path: pathOf },
  })
  function render(words: Words, view: string, model: object): string {
    const compiled = views.get(view)
    if (compiled === undefined) throw new Error(`There is no template ${view}`)
    return compiled({ ...frame(words), ...model })
  }
  function renderFor({ words, manager, formToken }: Visitor, view: string, model: object): string {
    const own = tabs.filter(({ roles }) => roles.includes(manager.role))
    return render(words, view, { manager, token: formToken, tabs: own, ...model })
  }
  return {
    /** Renders a page, or a part of one, for a manager. */
    renderFor,
    /** Sends a page to a person who is not signed in. */
    sendOpen(res: Response, words: Words, view: string, model: object, status = 200): void {
      sendHtml(res, status, render(words, view, model))
    },
    sendPage(res: Response, visit: Visit, answer: Extract<Answer, { kind: 'page' }>, session: LiveSession): void {
      const { view, model, status = 200 } = answer
      sendHtml(res, status, renderFor(visit, view, { notice: takeNotice(session), ...model }))
    },
    sendRefusal(res: Response, visit: Visitor, status: 403 | 404): void {
      const text = status === 403 ? 'errors.forbidden' : 'errors.notFound'
      sendHtml(
        res,
        status,
        renderFor(visit, 'message', { title: visit.words.say('errors.title'), text: visit.words.say(text) }),
      )
    },
    /** The page never has the message of an error: it may name files and settings. The log has it, with the id. */
    sendFault(res: Response, visit: Visitor, error: unknown, id: string): void {
      const { words } = visit
      const text = words.say(isOutage(error) ? 'errors.away' : 'errors.fault', { id })
      sendHtml(
        res,
        isOutage(error) ? 503 : 500,
        renderFor(visit, 'message', { title: words.say('errors.title'), text }),
      )
    },
  }
}

/** Lists the templates of `views/manager`, such as `people` and `registration/registrations`. */
function viewNames(): string[] {
  const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('.ejs')).map((file) => file.slice(0, -'.ejs'.length))
}

function sendHtml(res: Response, status: number, html: string): void {
  res.status(status).type('html').send(html)
}

/** Returns a path with parts that may hold any character, and with a query. Empty values are left out. */
export function pathOf(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const path = `/${parts.map(encodeURIComponent).join('/')}`
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return given === '' ? path : `${path}?${given}`
}
