import type { Request, Response } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { Identity } from '../sessions/identity.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SignInLimits } from '../sign-in-limits/sign-in-limits.ts'
import type { UserStore, Viewer } from '../users/user-store.ts'
import type { AccessPolicy, GateDecision } from './answer/access-decision.ts'
import type { PlayerAnswer } from './answer/answer.ts'
import type { LoopBreaker } from './answer/loop-breaker.ts'
import type { LogSignIn } from './log/sign-in-log.ts'
import type { PlayerContext } from './request/player-context.ts'
import type { HeadersFor } from './screens/headers.ts'
import type { Refusals } from './screens/refusals.ts'
import type { ScreenPart } from './screens/screen-part.ts'
import type { Screens } from './screens/screens.ts'

/** The dependencies of the routes of one entry point. Each route picks the part that it uses. */
export interface EntryPointDeps {
  readonly entryPoint: EntryPoint
  readonly answer: PlayerAnswer
  readonly accessPolicy: AccessPolicy
  /** Asked after the access policy, in this order. */
  readonly gates: readonly Gate[]
  /** The ways to sign in. */
  readonly screenParts: readonly ScreenPart[]
  readonly users: Pick<UserStore, 'assertCapacity' | 'authenticate'>
  readonly sessions: Sessions
  readonly signInLimits: Pick<SignInLimits, 'admit' | 'isAgain'>
  readonly loopBreaker: LoopBreaker
  readonly screens: Screens
  readonly refusals: Refusals
  readonly headersFor: HeadersFor
  readonly addressOf: (req: Request) => string
  readonly logSignIn: LogSignIn
  readonly nowSeconds: () => number
}

/** A check after the access policy, such as "only in the evening". */
export type Gate = (req: Request, res: Response, visit: AuthenticatedViewer) => GateDecision | Promise<GateDecision>

export interface AuthenticatedViewer {
  readonly viewer: Viewer
  readonly context: PlayerContext
  readonly outcome: 'signed-in' | 'returned'
  /** Absent for a viewer of the user store. */
  readonly identity?: Identity | undefined
  /** The session of a viewer who returned. Absent after a sign-in. */
  readonly sessionId?: string
  /** True if the viewer said that other people use the computer too: then no session opens. */
  readonly isShared?: boolean
  /** Called only if access is granted, so that no other viewer gets a session. Null for no session. */
  readonly openSession: () => Promise<string | null> | string
}
