import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import type { PlayerContext } from '../../login/request/player-context.ts'
import type { AuthenticatedViewer } from '../../login/route-deps.ts'
import type { AppParts } from '../../login/service.ts'
import { StoredViewer, storableViewer } from '../../sessions/session-store.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { createEndedSignIns } from '../../sign-in-limits/ended-sign-ins.ts'
import { createSeal } from './seal.ts'

/** From the sealing on: an open page gets new passes, so that the pass of a page that was left ends. */
const PASS_SECONDS = 900
const RENEW_AFTER_SECONDS = 240
/** A pass is in an address, which Node, proxies and browsers limit. Viewers with many groups may have a longer one. */
const LONGEST_PASS = 6_000

/** The sign-in of a viewer who does not watch yet. UNIX times in seconds. */
const Pass = z.object({
  /** As a session would have it. */
  viewer: StoredViewer,
  /** True if no session may open. */
  isShared: z.boolean(),
  /** True for a viewer with a session. The pass is good only with that session. */
  isReturn: z.boolean(),
  /** The same after a renewal. */
  id: z.string(),
  sealedAtSeconds: z.number(),
})
export type Pass = Readonly<z.output<typeof Pass>>

/** `viewer` is the name in a pass that is not altered. */
export type PassReading =
  | { readonly ok: true; readonly pass: Pass }
  | { readonly ok: false; readonly reason: string; readonly viewer?: string }

/** The passes of one use at one entry point. Each is also bound to the fields of the player. */
export type Passes = ReturnType<typeof createPasses>

export type PassServices = Pick<
  AppParts,
  'publicUrl' | 'sessionSettings' | 'sessionStore' | 'openCounter' | 'nowSeconds' | 'hasEnded'
>

/**
 * Creates the passes of one use, such as "waiting".
 * @param sessions of the entry point.
 */
export function createPasses(
  { publicUrl, sessionSettings, sessionStore, openCounter, nowSeconds, hasEnded }: PassServices,
  use: string,
  entryPoint: string,
  sessions: Pick<Sessions, 'describe'>,
) {
  const seal = createSeal(sessionSettings.secrets, `viewer-auth pass 1 ${publicUrl.origin} ${use}`)
  const bindingOf = ({ fields }: PlayerContext) => JSON.stringify([entryPoint, Object.entries(fields).toSorted()])
  const sealed = (pass: Pass, context: PlayerContext) =>
    seal.seal(JSON.stringify({ ...pass, viewer: storableViewer(pass.viewer) }), bindingOf(context))
  const revoked = openCounter(`revoked-pass-${use}`, 2 * PASS_SECONDS)
  const endedSignIns = createEndedSignIns(openCounter)
  /**
   * True if the sign-in is too old, the viewer has signed out, or the sign-in was ended since: by a command, or by
   * the system that signed the viewer in.
   * @throws UpstreamError if the store of logouts does not answer.
   */
  async function isOver({ viewer, id }: Pass): Promise<boolean> {
    const ends = Math.min(
      viewer.signedInAtSeconds + sessionSettings.lifetimeSeconds,
      viewer.identity?.endsAtSeconds ?? Infinity,
    )
    if (ends <= nowSeconds() || (await revoked.get(id)) !== null) return true
    return (await endedSignIns.hasEnded(viewer)) || (await hasEnded(viewer))
  }
  return {
    isOver,
    /** Ends a pass with all that were sealed from it, in all copies of the app that share limits. */
    revoke: async ({ id }: Pass): Promise<void> => void (await revoked.penalty(id)),
    /** @throws UpstreamError if the sessions of passes cannot be read. */
    assertSessions: (): Promise<void> =>
      sessionStore.checkHealth().catch((cause: unknown) => {
        throw new UpstreamError('session-store', 'The session of a pass cannot be read', { cause })
      }),
    /** Seals the sign-in of a visit. Null if the pass would be too long. */
    issue({ viewer, context, identity, outcome, isShared = false }: AuthenticatedViewer): string | null {
      const isReturn = outcome === 'returned'
      const { snapshot, passwordVersion, ...named } = sessions.describe(viewer, identity)
      const own = isReturn ? {} : { ...(snapshot && { snapshot }), ...(passwordVersion && { passwordVersion }) }
      const id = randomBytes(9).toString('base64url')
      const pass = { viewer: { ...named, ...own }, isShared, isReturn, id, sealedAtSeconds: nowSeconds() }
      const text = sealed(pass, context)
      return text.length > LONGEST_PASS ? null : text
    },
    /** Seals a pass again. Null if its sign-in is over. @throws as `isOver` */
    async renew(pass: Pass, context: PlayerContext): Promise<string | null> {
      return (await isOver(pass)) ? null : sealed({ ...pass, sealedAtSeconds: nowSeconds() }, context)
    },
    isRenewalDue: ({ sealedAtSeconds }: Pass) => Math.abs(nowSeconds() - sealedAtSeconds) >= RENEW_AFTER_SECONDS,
    read(given: unknown, context: PlayerContext): PassReading {
      const text =
        typeof given === 'string' && given.length <= LONGEST_PASS ? seal.open(given, bindingOf(context)) : null
      const content = text === null ? null : Pass.safeParse(JSON.parse(text))
      if (!content?.success) return { ok: false, reason: 'the pass is altered, or from elsewhere' }
      const pass = content.data
      // Also of a time that has yet to come: the clock was set back.
      const isOld = Math.abs(nowSeconds() - pass.sealedAtSeconds) >= PASS_SECONDS
      return isOld ? { ok: false, reason: 'the pass is too old', viewer: pass.viewer.username } : { ok: true, pass }
    },
  }
}
