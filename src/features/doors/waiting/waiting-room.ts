import { type Request, type RequestHandler, type Response, Router } from 'express'
import { languageOf } from '../../../languages/languages.ts'
import { faultEvent, loggedIdentity } from '../../../login/log/sign-in-log.ts'
import { postSignOut, readPost } from '../../../login/posts.ts'
import { isAskedByScript, isNavigation } from '../../../login/request/asker.ts'
import { formBody } from '../../../login/request/form-body.ts'
import { type PlayerContext, readPlayerContext } from '../../../login/request/player-context.ts'
import type { AuthenticatedViewer, EntryPointDeps, Gate } from '../../../login/route-deps.ts'
import { sendFault, sendWrongMethod } from '../../../login/routes.ts'
import { describeError } from '../../../login/screens/error-page.ts'
import { sendLocation, sendPage, sendRedirect } from '../../../login/screens/send.ts'
import { onlyMethods } from '../../../server/only-methods.ts'
import { readPass, returningWith, showSignIn } from '../../../services/pass/given-pass.ts'
import { createPasses, type Pass, type Passes, type PassServices } from '../../../services/pass/passes.ts'
import { readmit } from '../../../services/pass/readmit.ts'
import type { DoorDecision } from '../gate.ts'
import { reloadSeconds, type WaitingCount } from './reload-time.ts'
import { type ClosedDoor, createWaitingPages, type WaitingState } from './waiting-page.ts'

/** Many proxies refuse a line of more than 8 kB. The address has the fields of the player too. */
const LONGEST_ADDRESS = 7_500
/** After the opening, if a store fails. */
const RETRY_SECONDS = 5

/** The door of the entry point. */
export interface WaitingDoor {
  decide(): DoorDecision
  /** UNIX time. Null unless the door has yet to open. */
  opensAtSeconds(): number | null
}

type RoomDeps = Omit<EntryPointDeps, 'gates'>

const passesFor = (services: PassServices, { entryPoint, sessions }: RoomDeps) =>
  createPasses(services, 'waiting', entryPoint.name, sessions)

const isEarly = (decision: DoorDecision): decision is ClosedDoor =>
  decision?.ok === false && decision.reason === 'not-entitled' && decision.code === 'not-open-yet'

/** Creates the gate and the page of one entry point for viewers who come before the opening. */
export function createWaitingRoom(door: WaitingDoor, services: PassServices, count: WaitingCount) {
  return {
    gate: (deps: RoomDeps) => waitingGate(door, services, deps, count),
    routes: (deps: EntryPointDeps) => waitingRoutes(door, services, deps, count),
  }
}

/** Creates the gate that leads viewers who come before the opening to the page on which they wait. */
function waitingGate(door: WaitingDoor, services: PassServices, deps: RoomDeps, count: WaitingCount): Gate {
  const { entryPoint, headersFor, logSignIn } = deps
  const passes = passesFor(services, deps)
  const sendWaitingPage = createSender(door, services, deps, count)
  return (req, res, visit) => {
    const decision = door.decide()
    if (!isEarly(decision)) return decision
    const sealed = passes.issue(visit)
    const path = sealed === null ? '' : pathOfRoom(deps, visit.context, sealed)
    if (sealed === null || path.length > LONGEST_ADDRESS) return decision
    return { ok: false, reason: 'held', send: () => sendToRoom(req, res, visit, { sealed, path, closed: decision }) }
  }

  function pageOf(sealed: string, { context }: AuthenticatedViewer): string {
    const reading = passes.read(sealed, context)
    return reading.ok ? pageKey(reading.pass) : sealed
  }
  function sendToRoom(req: Request, res: Response, visit: AuthenticatedViewer, { path, ...pass }: Room): void {
    const { viewer, context, outcome } = visit
    const { username } = viewer
    const identity = loggedIdentity(visit)
    logSignIn(req, { outcome: 'waiting', viewer: username, isReturn: outcome === 'returned', ...identity })
    const headers = headersFor(context.address.origin)
    const isScript = outcome === 'signed-in' && isAskedByScript(req, entryPoint)
    // The player has opened this page: a redirect would count as one from another site, and those are refused.
    if (req.method === 'GET')
      sendWaitingPage(req, res, { context, username, page: pageOf(pass.sealed, visit), ...pass })
    else if (isScript) sendLocation(res, headers, `${services.publicUrl.origin}${path}`)
    else sendRedirect(res, headers, path)
  }
}

/** Creates the page on which viewers wait. It loads again by itself, and leads to the player once the door is open. */
function waitingRoutes(door: WaitingDoor, services: PassServices, deps: EntryPointDeps, count: WaitingCount): Router {
  const { answer, refusals, screens, logSignIn } = deps
  const passes = passesFor(services, deps)
  const sendWaitingPage = createSender(door, services, deps, count)

  async function getWaitingPage(req: Request, res: Response): Promise<void> {
    const reading = readPlayerContext(req.query, answer)
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    // Another site, or a link in a mail, could sign its visitors in as another viewer.
    if (req.headers['sec-fetch-site'] === 'none' || refusals.isForeign(req)) {
      return screens.sendSignIn(req, res, { context })
    }
    const sealed = String(req.query.pass)
    const pass = readPass({ ...deps, passes }, req, res, { sealed, context })
    if (pass === null) return
    const decision = door.decide()
    const { username } = pass.viewer
    const page = pageKey(pass)
    if (isEarly(decision)) {
      const current = await passForNextLoad({ ...deps, passes }, req, res, pass, { sealed, context })
      if (current !== null)
        return sendWaitingPage(req, res, { context, username, page, sealed: current, closed: decision })
      return showSignIn(deps, req, res, { context, viewer: username, reason: 'the sign-in of the pass has ended' })
    }
    if (decision?.ok === false) {
      const viewer = { username, groups: [], attributes: {} }
      return refusals.accessDenied(req, res, { viewer, context, decision, isReturn: true })
    }
    if (!isNavigation(req)) return screens.sendSignIn(req, res, { context })
    try {
      answer.assertCapacity()
      await readmit({ ...deps, passes }, req, res, { sealed, context })
    } catch (error) {
      const fault = describeError(error)
      // The page tries again by itself.
      if (fault.status !== 503 || res.headersSent) throw error
      logSignIn(req, { ...faultEvent(error), viewer: username, status: fault.status })
      sendWaitingPage(req, res, { context, username, page, sealed, fault })
    }
  }
  return Router({ strict: true, caseSensitive: true })
    .get('/wait', getWaitingPage)
    .post('/wait/sign-out', formBody, postSignOutOfRoom(deps, passes))
    .all('/wait', onlyMethods('GET, HEAD', sendWrongMethod(deps)))
    .all('/wait/sign-out', onlyMethods('POST', sendWrongMethod(deps)))
    .use(sendFault(deps))
}

type RoomWithPasses = Pick<EntryPointDeps, 'sessions' | 'logSignIn'> & { readonly passes: Passes }

/** Returns the pass for the next load. Null if the sign-in has ended. A store that is away ends none. */
async function passForNextLoad(
  deps: RoomWithPasses,
  req: Request,
  res: Response,
  pass: Pass,
  { sealed, context }: GivenSeal,
): Promise<string | null> {
  const { passes, logSignIn } = deps
  try {
    // Also keeps the session from ending while its page is open.
    if (pass.isReturn && (await returningWith(deps, pass, req, res)) === null) return null
    return passes.isRenewalDue(pass) ? await passes.renew(pass, context) : sealed
  } catch (error) {
    logSignIn(req, { ...faultEvent(error), viewer: pass.viewer.username })
    return sealed
  }
}

/** Ends the pass and the session: the page may stay in the history of the browser. */
function postSignOutOfRoom(deps: EntryPointDeps, passes: Passes): RequestHandler {
  const signOut = postSignOut(deps)
  return async function postSignOutForm(req, res, next) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const { pass }: { pass?: unknown } = req.body ?? {}
    const reading = passes.read(pass, context)
    if (reading.ok) await passes.revoke(reading.pass)
    await signOut(req, res, next)
  }
}

/** The page of one viewer, before its first load. */
interface Room {
  readonly sealed: string
  readonly path: string
  readonly closed: ClosedDoor
}

interface GivenSeal {
  readonly sealed: string
  readonly context: PlayerContext
}

interface Waiting extends Pick<WaitingState, 'closed' | 'fault' | 'username'> {
  readonly context: PlayerContext
  readonly sealed: string
  /** See `pageKey()`. */
  readonly page: string
}

/** Names the page of a viewer, to count it once. A session gets a new pass at each visit, and a sign-in gets one. */
function pageKey({ isReturn, viewer, id }: Pass): string {
  return isReturn ? viewer.username : id
}

/** Returns a function that sends the page, with the time of its next reload. */
function createSender(door: WaitingDoor, { nowSeconds }: PassServices, deps: RoomDeps, count: WaitingCount) {
  const { entryPoint, headersFor } = deps
  const { brand, hasScript } = entryPoint
  const pageOf = createWaitingPages(deps)
  return (req: Request, res: Response, { context, sealed, page, ...waiting }: Waiting): void => {
    const secondsToOpening = (door.opensAtSeconds() ?? nowSeconds()) - nowSeconds()
    const seconds = reloadSeconds(waiting.fault ? RETRY_SECONDS : secondsToOpening, count.viewers())
    count.add(page, seconds)
    const { fields } = context
    const html = pageOf(languageOf(req, brand.defaultLanguage), { ...waiting, fields, sealed, secondsToOpening })
    const own = {
      // No other site and no asset learns the pass, and a post of the page still has its origin.
      'Referrer-Policy': 'strict-origin',
      Refresh: `${seconds}; url=${pathOfRoom(deps, context, sealed)}`,
      // A connection that is kept for each page would shut out new viewers.
      Connection: 'close',
    }
    sendPage(res, { ...headersFor(context.address.origin, hasScript), ...own }, html, waiting.fault)
  }
}

function pathOfRoom({ entryPoint }: Pick<RoomDeps, 'entryPoint'>, { fields }: PlayerContext, pass: string): string {
  // A pass needs no encoding, and most players send no fields.
  const path = `${entryPoint.basePath}/wait?pass=${pass}`
  return Object.keys(fields).length === 0 ? path : `${path}&${new URLSearchParams(fields)}`
}
