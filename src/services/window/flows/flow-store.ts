import { z } from 'zod'

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
const SignInResult = z.object({
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
const RefusedSignIn = z.object({ entryPoint: z.string(), refusal: z.enum(FRAME_REFUSALS) })

/** A question to an authenticator. Kept under a digest of its challenge. */
const OpenCeremony = z.object({
  entryPoint: z.string(),
  flow: z.string(),
  /** The digest of the cookie of the window. */
  browserKeyDigest: z.string(),
  network: z.string(),
  /** The viewer who typed the right password, and creates a passkey. Null for a sign-in. */
  creator: z.string().nullable(),
  /** The version of the password that the creator typed. */
  passwordVersion: z.string().optional(),
})

/** A viewer in the user store, until the frame collects the result. */
const StoreSignIn = z.object({
  entryPoint: z.string(),
  storedName: z.string(),
  /** As at the sign-in. A new password or the removal of the credential ends the result. */
  passwordVersion: z.string().optional(),
  credential: z.string().optional(),
})

export type StartedFlow = z.output<typeof StartedFlow>
export type SignInResult = z.output<typeof SignInResult>
export type RefusedSignIn = z.output<typeof RefusedSignIn>
type LoggedOut = z.output<typeof LoggedOut>
export type OpenCeremony = z.output<typeof OpenCeremony>
export type StoreSignIn = z.output<typeof StoreSignIn>

export interface FlowRecords {
  readonly state: StartedFlow
  /** A sign-in that ended in its window. The last one counts if the viewer began several. */
  readonly result: SignInResult | RefusedSignIn | StoreSignIn
  readonly code: SignInResult
  /** Kept under the keys of the viewers and sessions that the logout concerns. */
  readonly logout: LoggedOut
  /** Kept under a digest of the id of a logout token, which counts once. */
  readonly logoutToken: LoggedOut
  readonly ceremony: OpenCeremony
}
export type RecordKind = keyof FlowRecords

export const RECORD_SCHEMAS: { readonly [Kind in RecordKind]: z.ZodType<FlowRecords[Kind]> } = {
  state: StartedFlow,
  result: z.union([SignInResult, RefusedSignIn, StoreSignIn]),
  code: SignInResult,
  logout: LoggedOut,
  logoutToken: LoggedOut,
  ceremony: OpenCeremony,
}

export const RECORD_SECONDS = {
  /** For the sign-in at the provider. */
  state: 600,
  /** Until the frame collects the result. */
  result: 120,
  /** Until the viewer has typed the code. */
  code: 180,
  /** For the answer of the authenticator. */
  ceremony: 120,
  /** Longer than `state` and `code` together. */
  logout: 900,
  /** Longer than a logout token is accepted. */
  logoutToken: 600,
} as const

/** The records that join a frame and its window. All copies of the app share them, or there is only one copy. */
export interface FlowStore {
  /**
   * Keeps a record for its time.
   * @throws OverloadedError if the store is full.
   * @throws UpstreamError if the store does not answer.
   */
  put<Kind extends RecordKind>(kind: Kind, key: string, record: FlowRecords[Kind]): Promise<void>
  /**
   * Returns a record and removes it, in one step: of parallel calls, only one gets it. Null without a record.
   * @throws UpstreamError if the store does not answer.
   */
  take<Kind extends RecordKind>(kind: Kind, key: string): Promise<FlowRecords[Kind] | null>
  /** Returns a record and leaves it there. Null without a record. @throws UpstreamError as `take` does. */
  read<Kind extends RecordKind>(kind: Kind, key: string): Promise<FlowRecords[Kind] | null>
  /** True if there is a record. Leaves it there. @throws UpstreamError if the store does not answer. */
  has(kind: RecordKind, key: string): Promise<boolean>
  close(): void
}
