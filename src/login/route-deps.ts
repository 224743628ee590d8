import type { Request } from 'express'
import type { EntryPoint, HashEntryPoint, TokenEntryPoint } from '../entry-points/entry-point.ts'
import type { HashSecrets } from '../entry-points/hash-secrets.ts'
import type { TokenIssuer } from '../features/token/issuer/token-issuers.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Visits } from '../sessions/visits.ts'
import type { SignInLimits } from '../sign-in-limits/sign-in-limits.ts'
import type { UserStore } from '../users/user-store.ts'
import type { AccessPolicy } from './access-decision.ts'
import type { LoopBreaker } from './loop-breaker.ts'
import type { HeadersFor } from './screens/headers.ts'
import type { Refusals } from './screens/refusals.ts'
import type { Screens } from './screens/screens.ts'
import type { LogSignIn } from './sign-in-log.ts'

/** The keys of the answers to the player. `hashSecrets` returns the secrets as they are now. */
export type AnswerKeys =
  | { readonly viewerAuth: 'hash'; readonly entryPoint: HashEntryPoint; readonly hashSecrets: () => HashSecrets }
  | { readonly viewerAuth: 'token'; readonly entryPoint: TokenEntryPoint; readonly issuer: TokenIssuer }

/** The dependencies of the routes of one entry point. Each route picks the part that it uses. */
export interface EntryPointDeps {
  readonly entryPoint: EntryPoint
  readonly answerKeys: AnswerKeys
  readonly accessPolicy: AccessPolicy
  readonly users: Pick<UserStore, 'assertCapacity' | 'authenticate'>
  readonly sessions: Sessions
  readonly visits: Visits
  readonly signInLimits: Pick<SignInLimits, 'admit'>
  readonly loopBreaker: LoopBreaker
  readonly screens: Screens
  readonly refusals: Refusals
  readonly headersFor: HeadersFor
  readonly addressOf: (req: Request) => string
  readonly logSignIn: LogSignIn
  readonly nowSeconds: () => number
}
