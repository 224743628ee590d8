import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** The first byte of the authenticator data, after the hash of the relying party (WebAuthn Level 3, 6.1). */
const FLAGS = { userPresent: 1, userVerified: 4, backupEligible: 8, backedUp: 16, attested: 64 }

export interface Ceremony {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
}

export interface Changes extends Partial<Ceremony> {
  readonly userPresent?: boolean
  readonly userVerified?: boolean
  readonly backupEligible?: boolean
  readonly crossOrigin?: boolean
  readonly topOrigin?: string
  readonly type?: string
  /** Of the attestation statement, which is empty. */
  readonly format?: string
}

export type Authenticator = ReturnType<typeof createAuthenticator>

/** Creates an authenticator with one passkey (ES256). Its counter goes up with each signature. */
export function createAuthenticator({ counter: first = 0 } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let counter = first
  let userHandle = ''

  const clientDataOf = (type: string, { challenge, origin }: Ceremony, { crossOrigin = false, topOrigin }: Changes) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin, topOrigin }))

  function authenticatorData(rpId: string, flags: number, attested = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), head, attested])
  }
  /** The public key in COSE form (RFC 9053, 2.1 and 7.1.1): a CBOR map of five entries. */
  function coseKey(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const point = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')] as const
    return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), point[0], Buffer.from('225820', 'hex'), point[1]])
  }
  const flagsOf = ({ userPresent = true, userVerified = true, backupEligible = true }: Changes) =>
    (userPresent ? FLAGS.userPresent : 0) |
    (userVerified ? FLAGS.userVerified : 0) |
    (backupEligible ? FLAGS.backupEligible | FLAGS.backedUp : 0)

  return {
    id: id.toString('base64url'),
    /** Sets the counter of the next signature. */
    setCounter(next: number) {
      counter = next
    },
    /** Returns the fields that `public/passkey.js` posts for a new passkey. */
    create(ceremony: Ceremony, handle: string, changes: Changes = {}) {
      const { rpId, ...asked } = { ...ceremony, ...changes }
      userHandle = handle
      const length = Buffer.from([0, id.length])
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey()])
      const data = authenticatorData(rpId, flagsOf(changes) | FLAGS.attested, attested)
      const format = cborText(changes.format ?? 'none')
      const head = Buffer.from([0xa3, ...cborText('fmt'), ...format, ...cborText('attStmt'), 0xa0])
      const attestation = Buffer.concat([head, cborText('authData'), Buffer.from([0x58, data.length]), data])
      const clientData = clientDataOf(changes.type ?? 'webauthn.create', { ...asked, rpId }, changes)
      return fieldsOf({ id, clientData, attestation }, { transports: 'internal,hybrid,telepathy' })
    },
    /** Returns the fields that `public/passkey.js` posts for a sign-in. */
    signIn(ceremony: Ceremony, changes: Changes = {}) {
      const { rpId, ...asked } = { ...ceremony, ...changes }
      const data = authenticatorData(rpId, flagsOf(changes))
      const clientData = clientDataOf(changes.type ?? 'webauthn.get', { ...asked, rpId }, changes)
      const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
      const signature = sign('sha256', signed, privateKey)
      if (counter > 0) counter += 1
      return fieldsOf({ id, clientData, authenticatorData: data, signature }, { userHandle })
    },
  }
}

function cborText(text: string): Buffer {
  return Buffer.from([0x60 + text.length, ...Buffer.from(text)])
}

function fieldsOf(bytes: Readonly<Record<string, Buffer>>, texts: Readonly<Record<string, string>>) {
  const encoded = Object.entries(bytes).map(([name, value]) => [name, value.toString('base64url')])
  return { ...Object.fromEntries(encoded), ...texts } as Record<string, string>
}
