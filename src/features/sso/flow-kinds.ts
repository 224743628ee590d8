import { z } from 'zod'
import type { FlowKind } from '../../services/window/flows/flow-store.ts'

/** A sign-in that a viewer began in a window. Kept under a digest of its `state`. */
const StartedFlow = z.object({
  entryPoint: z.string(),
  /** The id of the window. Null if the viewer gets a code to type. */
  flow: z.string().nullable(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** The digest of the cookie of the window. */
  browserKeyDigest: z.string(),
  network: z.string(),
  language: z.string().nullable(),
  /** True if the provider was told to ask for the account. */
  wantsOtherAccount: z.boolean().default(false),
  /** UNIX time. The default reads a record of an older version. */
  startedAtSeconds: z.number().default(0),
})

/** An SSO viewer, until the frame collects the result. Kept under `flow`, or a digest of the code. */
export const SignInResult = z.object({
  entryPoint: z.string(),
  username: z.string(),
  groups: z.array(z.string()),
  attributes: z.record(z.string(), z.string()),
  issuer: z.string(),
  subject: z.string(),
  /** The session at the provider. Null if the provider names none. */
  providerSession: z.string().nullable(),
  /** UNIX time in whole seconds. */
  signedInAtSeconds: z.number(),
  /** UNIX time when the window began the sign-in. */
  startedAtSeconds: z.number().default(0),
})

/** A logout at the provider. Sign-ins that began earlier must not become a session. */
const LoggedOut = z.object({
  /** UNIX time. */
  atSeconds: z.number(),
})

/** Reasons of the window for a refusal, which the frame shows too. A fixed list, so that the store gets no value of the provider. */
export const FRAME_REFUSALS = [
  'refused',
  'invalid',
  'noCookie',
  'wrongTenant',
  'groupsOverage',
  'unusableAccount',
  'emailNotVerified',
  'unavailable',
] as const
export const RefusedSignIn = z.object({ entryPoint: z.string(), refusal: z.enum(FRAME_REFUSALS) })

export type StartedFlow = z.output<typeof StartedFlow>
export type SignInResult = z.output<typeof SignInResult>
export type RefusedSignIn = z.output<typeof RefusedSignIn>
type LoggedOut = z.output<typeof LoggedOut>

/** For the sign-in at the provider. */
export const STATE: FlowKind<StartedFlow> = { name: 'state', seconds: 600, schema: StartedFlow }
/** Until the viewer has typed the code. */
export const CODE: FlowKind<SignInResult> = { name: 'code', seconds: 180, schema: SignInResult }
/** Kept under the keys of the viewers and sessions that the logout concerns, longer than `state` and `code` together. */
export const LOGOUT: FlowKind<LoggedOut> = { name: 'logout', seconds: 900, schema: LoggedOut }
/** Kept under a digest of the id of a logout token, which counts once, longer than the token is accepted. */
export const LOGOUT_TOKEN: FlowKind<LoggedOut> = { name: 'logoutToken', seconds: 600, schema: LoggedOut }
