import type { Passkey } from '../../../users/passkeys/passkey-store.ts'
import { CEREMONY } from '../flow-kinds.ts'
import { ALGORITHMS, type RelyingParty } from './answers.ts'

/** The authenticator gives up before the challenge ends. */
export const TIMEOUT_MS = (CEREMONY.seconds - 10) * 1000

export interface Creation {
  readonly challenge: string
  readonly username: string
  readonly userHandle: string
  /** The passkeys of the user, which the same authenticator does not create again. */
  readonly known: readonly KnownPasskey[]
}

type KnownPasskey = Pick<Passkey, 'id' | 'transports'>

/**
 * Returns the options for a new passkey. The authenticator must find it without a user name, unless it is a second step.
 * @param service the name that authenticators show.
 */
export function creationOptions(
  { id, isSecondStep }: RelyingParty,
  service: string,
  { challenge, username, userHandle, known }: Creation,
): object {
  const residentKey = isSecondStep ? 'preferred' : 'required'
  const userVerification = isSecondStep ? 'discouraged' : 'required'
  return {
    challenge,
    rp: { id, name: service },
    user: { id: userHandle, name: username, displayName: username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: { residentKey, requireResidentKey: !isSecondStep, userVerification },
    excludeCredentials: known.map(namedPasskey),
    attestation: 'none',
    timeout: TIMEOUT_MS,
  }
}

/** Names a passkey to the browser. */
export function namedPasskey({ id, transports }: KnownPasskey) {
  return { type: 'public-key', id, transports }
}
