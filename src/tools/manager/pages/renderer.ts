import { readdirSync } from 'node:fs'
import type { Response } from 'express'
import type { Brand } from '../../../brand/brand.ts'
import { compileView } from '../../../login/screens/views.ts'
import { type Answer, EDITORS, type Notice, type Visit } from '../door/route.ts'
import type { LiveSession } from '../door/sessions.ts'
import type { ManagerAssets } from './assets.ts'
import type { HeadEvents } from './event-names.ts'

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
  /** False if the entry points cannot be read here: each page says so. */
  readonly knowsEntryPoints: () => boolean
  /** False in an app without invitations. */
  readonly mayInvite: boolean
  readonly eventsFor: (visit: Visit) => HeadEvents
}

const VIEWS = new URL('../../../../views/manager/', import.meta.url)

export type Renderer = ReturnType<typeof createRenderer>

/** The person who gets a page. Before the sign-in, only the words are known. */
type Visitor = Pick<Visit, 'words'> & Partial<Pick<Visit, 'manager' | 'formToken' | 'typed' | 'part'>>

/** Renders the pages from the templates of `views/manager`. */
export function createRenderer(deps: RendererDeps) {
  const { brand, assets, tabs, takeNotice, knowsEntryPoints, mayInvite, eventsFor } = deps
  // Compiled at the start, so that the first page is as fast as the others.
  const views = new Map(viewNames().map((name) => [name, compileView(`manager/${name}`)]))
  const { styles, logo, darkLogo } = assets
  const script = assets.address('manager.js')
  const start = { isPartial: false, notice: null, current: '', events: null }
  const frame = { brand, styles, logo, darkLogo, script, mayInvite, path: pathOf, ...start }

  function render(visitor: Visitor, view: string, model: object): string {
    const { words, manager, formToken = '', typed, part } = visitor
    const compiled = views.get(view)
    if (compiled === undefined) throw new Error(`There is no template ${view}`)
    const isEditor = manager !== undefined && EDITORS.includes(manager.role)
    const ofVisit = { words, t: words.t, say: words.say, typed, part, isEditor }
    const own = manager ? tabs.filter(({ roles }) => roles.includes(manager.role)) : []
    return compiled({ ...frame, ...ofVisit, manager: manager ?? null, token: formToken, tabs: own, ...model })
  }
  function send(res: Response, visitor: Visitor, view: string, model: object, status = 200): void {
    res
      .status(status)
      .type('html')
      .send(render(visitor, view, model))
  }
  return {
    /** Renders a page, or a part of one. */
    render,
    send,
    sendPage(res: Response, visit: Visit, { view, model, status }: Page, session: LiveSession): void {
      const isPartial = !knowsEntryPoints()
      const ofPage = { isPartial, notice: takeNotice(session), events: eventsFor(visit) }
      send(res, visit, view, { ...ofPage, ...model }, status)
    },
    /**
     * Sends a page with one sentence, by its key in `errors`. The page never has the message of an error, which may name
     * files and settings. The log has it, with the id.
     */
    sendError(res: Response, visitor: Visitor, status: number, text: string, { id = '', back = '/' } = {}): void {
      const { say, t } = visitor.words
      send(res, visitor, 'message', { title: t.errors.title, text: say(`errors.${text}`, { id }), back }, status)
    },
  }
}

type Page = Extract<Answer, { kind: 'page' }>

/** Lists the templates of `views/manager`, such as `people` and `registration/registrations`. */
function viewNames(): string[] {
  const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('.ejs')).map((file) => file.slice(0, -'.ejs'.length))
}

/** Returns a path with parts that may hold any character, and with a query. Empty values are left out. */
export function pathOf(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const path = `/${parts.map(encodeURIComponent).join('/')}`
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return given === '' ? path : `${path}?${given}`
}
