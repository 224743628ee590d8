import type { Request, Response } from 'express'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { ReturnAddress } from '../../hash-lock/return-address.ts'
import type { GateDecision } from '../../login/answer/access-decision.ts'
import type { AuthenticatedViewer, EntryPointDeps, Gate } from '../../login/route-deps.ts'
import type { Passes } from '../../services/pass/passes.ts'
import { placeBefore, placeOfForm, placeOfSession, placesKey } from '../../services/places/place-keys.ts'
import type { Claim, ClaimResult } from '../../stores/places/claim-place.ts'
import type { PlaceStore } from '../../stores/places/place-store.ts'
import { usernameKey } from '../../users/viewer-fields.ts'
import type { ScreenLimitSettings } from './fields.ts'
import type { SendOtherScreen } from './other-screen.ts'

/** The player asks again when its response expires, and may be late. */
const GRACE_SECONDS = 5
/** From the question if a place is free to the answer that takes it. */
const HELD_SECONDS = 30

export interface ScreenLimit {
  readonly places: Pick<PlaceStore, 'claim'>
  readonly settings: ScreenLimitSettings
  /** The requests of viewers who chose to watch here. */
  readonly chosen: WeakSet<Request>
  /** Null if a sign-in takes a place without a question. */
  readonly passes: Pick<Passes, 'issue'> | null
  readonly sendScreen: SendOtherScreen
}

/** A viewer of the user store by name, another viewer by identity. */
function ownerKey(entryPoint: EntryPoint, address: ReturnAddress, { viewer, identity }: Owner): string {
  const owner = identity ? ['sso', identity.issuer, identity.subject] : ['store', usernameKey(viewer.username)]
  return placesKey(entryPoint, address, owner)
}

type Owner = Pick<AuthenticatedViewer, 'viewer' | 'identity'>
type GateDeps = Pick<EntryPointDeps, 'entryPoint' | 'sessions' | 'logSignIn' | 'nowSeconds'>

/**
 * Creates the gate of an entry point. A sign-in takes a place, by default from the oldest screen. A viewer who returns
 * keeps the place of the session or takes a free one, and is refused if there is none.
 */
export function createGate(deps: GateDeps, { places, settings, chosen, passes, sendScreen }: ScreenLimit): Gate {
  const { entryPoint, sessions, logSignIn, nowSeconds } = deps
  const { most, lifetimeSeconds } = settings

  /** A store that fails lets the viewer pass. The store logs its outage. @param endsAtSeconds the place ends with it. */
  function claim(
    key: string,
    place: Pick<Claim, 'place' | 'replaces' | 'how'>,
    endsAtSeconds = Infinity,
  ): Promise<ClaimResult> {
    const now = Math.floor(nowSeconds())
    const lastSeconds = Math.min(now + lifetimeSeconds, Math.ceil(endsAtSeconds))
    const times = { nowSeconds: now, endsAtSeconds: lastSeconds + GRACE_SECONDS }
    return places.claim(key, { ...place, ...times, most }).catch(() => 'taken')
  }
  function held(req: Request, res: Response, visit: AuthenticatedViewer, pass: string | null): GateDecision {
    const isReturn = visit.outcome === 'returned'
    const send = () => {
      logSignIn(req, { outcome: 'other-screen', viewer: visit.viewer.username, isReturn })
      sendScreen(req, res, { context: visit.context, isReturn, pass })
    }
    return { ok: false, reason: 'held', send }
  }
  return async (req, res, visit) => {
    const { context, sessionId } = visit
    const key = ownerKey(entryPoint, context.address, visit)
    if (sessionId === undefined || chosen.has(req)) return await choose(req, res, visit, key)
    const own = { place: placeOfSession(sessionId), how: 'if-free' } as const
    // A place that outlived an answer which ends with the event would be missing at the next event.
    async function onGranted(_session: string | null, endsAtSeconds = Infinity): Promise<void> {
      if (endsAtSeconds < nowSeconds() + lifetimeSeconds) await claim(key, own, endsAtSeconds)
    }
    return (await claim(key, own)) === 'none-free' ? held(req, res, visit, null) : { ok: true, onGranted }
  }

  /** Decides on a sign-in, and on a viewer who chose to watch here. */
  async function choose(req: Request, res: Response, visit: AuthenticatedViewer, key: string): Promise<GateDecision> {
    const { viewer, sessionId: returning } = visit
    const isChosen = chosen.has(req)
    const own = placeOfForm(sessions, req)
    let replaces = returning === undefined ? await placeBefore(sessions, req, res) : undefined
    if (passes !== null && !isChosen) {
      // Takes the place for a moment: of two sign-ins at once, the second one asks.
      const result = await claim(key, { place: own, replaces, how: 'if-free' }, nowSeconds() + HELD_SECONDS)
      // Without a cookie, the pass has the sign-in. A viewer with too long a pass cannot be asked.
      const pass = result === 'none-free' ? passes.issue(visit) : null
      if (pass !== null) return held(req, res, visit, pass)
      if (result !== 'none-free') replaces = own
    }
    return {
      ok: true,
      // After all other checks: a viewer who is refused takes no place.
      async onGranted(sessionId, endsAtSeconds) {
        const place = sessionId === null ? own : placeOfSession(sessionId)
        const result = await claim(key, { place, replaces, how: 'newest' }, endsAtSeconds)
        const isReturn = returning !== undefined
        if (result === 'taken-over') logSignIn(req, { outcome: 'took-over', viewer: viewer.username, isReturn })
      },
    }
  }
}
