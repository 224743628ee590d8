import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers'
import type { Passkey } from '../../../users/passkeys/passkey-store.ts'
import {
  ALGORITHMS,
  type CreationAnswer,
  type CreationCheck,
  type Fault,
  type RelyingParty,
  type SignInAnswer,
  type SignInCheck,
} from './answers.ts'

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
/** The messages of the library contain challenges and ids, so they are never logged. */
const FAULTS: readonly (readonly [message: RegExp, fault: Fault])[] = [
  [/^Unexpected \w+ response challenge/, 'wrong-challenge'],
  [/^Unexpected \w+ response origin/, 'wrong-origin'],
  [/RP ID/, 'wrong-rp-id'],
  [/^User (verification|not present|presence)/, 'user-not-verified'],
  [/^Response counter/, 'counter-went-back'],
]

/** Checks the answer of an authenticator to a sign-in (WebAuthn Level 3, 7.2). */
export async function checkSignIn(
  { id, clientData, authenticatorData, signature, userHandle }: SignInAnswer,
  challenge: string,
  { id: rpId, origin, isSecondStep = false }: RelyingParty,
  stored: { readonly passkey: Passkey; readonly userHandle: string },
): Promise<SignInCheck> {
  // An authenticator may leave it out only for a passkey that the app named.
  const isLeftOut = isSecondStep && userHandle === ''
  if (userHandle !== stored.userHandle && !isLeftOut) return { ok: false, fault: 'wrong-user' }
  try {
    if (isFromFrame(clientData)) return { ok: false, fault: 'in-a-frame' }
    const { publicKey, counter, deviceType } = stored.passkey
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credential(id),
        response: { clientDataJSON: clientData, authenticatorData, signature, userHandle },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: { id, publicKey, counter },
      requireUserVerification: !isSecondStep,
    })
    if (!verified) return { ok: false, fault: 'wrong-signature' }
    const { newCounter, credentialDeviceType, credentialBackedUp: isBackedUp } = authenticationInfo
    if (credentialDeviceType !== deviceType) return { ok: false, fault: 'backup-flag-changed' }
    return { ok: true, counter: newCounter, isBackedUp }
  } catch (error) {
    return { ok: false, fault: faultOf(error) }
  }
}

/** Checks a new passkey (WebAuthn Level 3, 7.1). */
export async function checkCreation(
  { id, clientData, attestation, transports }: CreationAnswer,
  challenge: string,
  { id: rpId, origin, isSecondStep = false }: RelyingParty,
): Promise<CreationCheck> {
  try {
    if (isFromFrame(clientData)) return { ok: false, fault: 'in-a-frame' }
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential(id),
        response: { clientDataJSON: clientData, attestationObject: withoutStatement(attestation) },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: !isSecondStep,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified || registrationInfo.credential.id !== id) return { ok: false, fault: 'wrong-signature' }
    const { publicKey, counter } = registrationInfo.credential
    const { credentialDeviceType: deviceType, credentialBackedUp: isBackedUp } = registrationInfo
    const named = TRANSPORTS.filter((name) => transports.split(',').includes(name))
    return { ok: true, passkey: { id, publicKey, counter, deviceType, isBackedUp, transports: named } }
  } catch (error) {
    return { ok: false, fault: faultOf(error) }
  }
}

/** Passkeys work at the top level only, where no browser sends `topOrigin`. */
function isFromFrame(clientData: string): boolean {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientData)
  return crossOrigin === true || topOrigin !== undefined
}

/**
 * Removes the attestation statement, which the app does not ask for. The library would fetch the addresses in its
 * certificates, so that a viewer could send requests from this server.
 */
function withoutStatement(attestation: string): string {
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestation)).get('authData')
  const fields = { fmt: 'none', attStmt: new Map<string, string>(), authData }
  return isoBase64URL.fromBuffer(isoCBOR.encode(new Map(Object.entries(fields))))
}

function credential(id: string) {
  return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} }
}

function faultOf(error: unknown): Fault {
  const message = error instanceof Error ? error.message : ''
  return FAULTS.find(([pattern]) => pattern.test(message))?.[1] ?? 'unreadable'
}
