import { z } from 'zod'
import type { FlowKind } from '../../services/window/flows/flow-store.ts'

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
export const StoreSignIn = z.object({
  entryPoint: z.string(),
  storedName: z.string(),
  /** As at the sign-in. A new password or the removal of the credential ends the result. */
  passwordVersion: z.string().optional(),
  credential: z.string().optional(),
})

export type OpenCeremony = z.output<typeof OpenCeremony>
export type StoreSignIn = z.output<typeof StoreSignIn>

/** For the answer of the authenticator. */
export const CEREMONY: FlowKind<OpenCeremony> = { name: 'ceremony', seconds: 120, schema: OpenCeremony }
