import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { type createClientAddress, trustedProxiesOf } from '../../login/request/client-address.ts'
import type { ManagerStore } from '../cli/manager/accounts/manager-store.ts'
import { createSeal } from '../cli/manager/accounts/second-step.ts'
import { openEvening } from '../cli/manager/evening/evening.ts'
import { machineTimeZone } from '../cli/output/time-zone.ts'
import { invitingIn } from '../cli/viewers/viewer-facts.ts'
import { afterSection } from './after/after-section.ts'
import type { LogAct } from './door/acts.ts'
import { createDoor } from './door/door.ts'
import { ownHost, securityHeaders } from './door/headers.ts'
import type { KeptForm } from './door/kept-form.ts'
import type { Notice, Route } from './door/route.ts'
import { scopeOf } from './door/scope.ts'
import { createManagerSessions } from './door/sessions.ts'
import { eveningSection } from './evening/evening-section.ts'
import { journalSection } from './journal/journal-section.ts'
import { createKeptValues } from './kept-values.ts'
import { openMailQueue } from './mails/mail-queue.ts'
import { accountRoutes } from './own-account/account-routes.ts'
import { openAssets } from './pages/assets.ts'
import { createEventNames } from './pages/event-names.ts'
import { zoneOfPage } from './pages/page-zone.ts'
import { createRenderer } from './pages/renderer.ts'
import { openWords, type WordsFor } from './pages/words.ts'
import { people } from './people/people.ts'
import type { SectionDeps } from './section.ts'
import { createManagerCheck } from './sign-in/check-manager.ts'
import { signInRoutes } from './sign-in/sign-in-routes.ts'

/** Pages share the settings for this time: to read them costs more than a page. */
const ENTRY_POINTS_MS = 1_000
/** A page waits this long for new figures. After that it shows the last ones. */
const MOST_WAIT_MS = 120

export interface ManagerAppDeps extends Omit<SectionDeps, 'renderPart' | 'evening' | 'kept' | 'mails'> {
  readonly logAct: LogAct
  readonly addressOf: ReturnType<typeof createClientAddress>
  readonly onFault: (error: unknown, id: string) => void
}

/** Creates the page for managers: all middleware and routes, in their order. */
export function createManagerApp(deps: ManagerAppDeps): Express {
  const { settings, store, brand, events, nowSeconds } = deps
  const { url, secret, proxyHops } = settings
  const kept = createKeptValues()
  const sessions = createManagerSessions(store, secret, url.protocol === 'https:', nowSeconds, kept)
  const assetsOfParts = deps.parts.flatMap((part) => part.assets ?? [])
  const assets = openAssets(brand, assetsOfParts)
  const keptForms = kept.bySession<KeptForm>()
  const readEntryPoints = kept.keep(ENTRY_POINTS_MS, deps.entryPoints)
  const entryPoints = () => readEntryPoints(undefined)
  const evening = openEvening(deps.env, {
    nowMs: () => nowSeconds() * 1000,
    entryPoints,
    events,
    mostWaitMs: MOST_WAIT_MS,
  })
  deps.onClose(() => void evening.close())
  const mails = openMailQueue(deps)
  const renderPart: SectionDeps['renderPart'] = (...part) => renderer.render(...part)
  const ofFeatures = deps.parts.flatMap(({ section }) => section ?? [])
  const sections = [eveningSection, people, ...ofFeatures, afterSection, journalSection].map((section) =>
    section.open({ ...deps, renderPart, entryPoints, evening, kept, mails }),
  )
  mails.start()
  const steps = sections.flatMap(({ step }) => step ?? [])
  const tabs = sections.flatMap(({ tab }) => tab ?? [])
  const takeNotice = noticesIn(store)
  const machine = machineTimeZone()
  const { eventIn, eventsFor } = createEventNames(entryPoints, events, nowSeconds)
  const wordsFor = openWords(() => zoneOfPage(entryPoints(), settings.timeZone, machine, events), eventIn)
  const mayInvite = invitingIn(deps.viewerFacts) !== undefined
  const knowsEntryPoints = () => entryPoints() !== null
  const renderer = createRenderer({ brand, assets, tabs, takeNotice, knowsEntryPoints, mayInvite, eventsFor })
  const routes: Route[] = [...sections.flatMap((section) => section.routes), ...accountRoutes(deps, steps)]

  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')
  app.set('trust proxy', trustedProxiesOf(proxyHops, []))
  app.use(securityHeaders(url))
  app.get('/health/live', (_req, res) => void res.type('text').send('live'))
  app.use(ownHost(url))
  // A person without a session gets the same answer everywhere, so that an address does not tell which pages exist.
  const notFound: RequestHandler = (req, res) => {
    const session = sessions.of(req)
    if (!session?.isComplete) return res.redirect(303, session === null ? '/sign-in' : '/second-step')
    renderer.sendError(res, { words: wordsFor(req) }, 404, 'notFound')
  }
  // Otherwise Express answers with the methods of a page.
  app.use((req, res, next) => (req.method === 'OPTIONS' ? notFound(req, res, next) : next()))
  app.use('/assets', assets.serve)
  const setNotice = (id: string, notice: Notice) => store.setNotice(id, JSON.stringify(notice))
  const shared = { ...deps, sessions, renderer, wordsFor, keptForms, setNotice, origin: url.origin }
  const check = createManagerCheck(deps)
  const issuer = `${brand.name ?? url.hostname} – manager`
  const signIn = { ...shared, check, seal: createSeal(secret), issuer }
  app.use(signInRoutes(signIn, steps))
  for (const { entry } of deps.parts) if (entry) app.use(entry(signIn))
  app.use(
    createDoor({
      ...shared,
      routes,
      users: deps.viewers.store,
      scopeOf: (manager, event) => scopeOf(manager, entryPoints(), event),
      forgetFigures() {
        kept.forget()
        evening.forget()
      },
    }),
  )
  app.use(notFound)
  app.use(faultHandler(renderer, wordsFor, deps.onFault))
  return app
}

function noticesIn(store: ManagerStore) {
  return ({ id, notice }: { readonly id: string; readonly notice: string | null }): Notice | null => {
    if (notice === null) return null
    store.setNotice(id, null)
    // Written by this program only.
    return JSON.parse(notice) as Notice
  }
}

function faultHandler(
  renderer: ReturnType<typeof createRenderer>,
  wordsFor: WordsFor,
  onFault: ManagerAppDeps['onFault'],
): ErrorRequestHandler {
  return (error: { readonly status?: number }, req, res, next) => {
    if (res.headersSent) return next(error)
    const { status = 500 } = error
    const isOfClient = status >= 400 && status < 500
    const visitor = { words: wordsFor(req) }
    // The rest of a refused body is not read.
    if (status === 411) res.setHeader('Connection', 'close')
    if (isOfClient) return renderer.sendError(res, visitor, status, status === 413 ? 'tooLarge' : 'badForm')
    const id = crypto.randomUUID()
    onFault(error, id)
    renderer.sendError(res, visitor, 500, 'fault', { id })
  }
}
