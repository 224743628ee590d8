import { createPublicKey } from 'node:crypto'
import { publicKeyPem } from '../../../../src/features/token/viewer-token/content-key.ts'
import type { AlteredToken } from './altered-tokens.ts'
import { OUTER } from './jose-tokens.ts'
import { buildWithJwcrypto, jwkOf, type TokenToBuild } from './jwcrypto.ts'
import { CONTENT_KEY, ISSUED_AT, SERVICE_KEY } from './jwcrypto-vectors.ts'
import { KEY_OF_4096_BITS } from './longer-keys.ts'

/** A second key that the service accepts. */
export const OLDER_KID = 'service-2026-10'
export const OLDER_KEY = KEY_OF_4096_BITS

const CLAIMS = `{"sub":"ada@example.com","iat":${ISSUED_AT}}`
const SERVICE_JWK = jwkOf(createPublicKey(SERVICE_KEY))
const CONTENT_JWK = jwkOf(CONTENT_KEY)

type Layer = TokenToBuild['layers'][number]

const SIGNED = signed({ alg: 'RS512', typ: 'JWT' })
const ENCRYPTED = encrypted(OUTER)
const GOOD: TokenToBuild = { text: CLAIMS, layers: [SIGNED, ENCRYPTED] }

/** Tokens that the service refuses in the second of their `iat`. All are whole: signatures and tags are right. */
const REFUSED: readonly (readonly [name: string, reason: AlteredToken['reason'], token: TokenToBuild])[] = [
  ['that is signed only', 'not-encrypted', inLayers(SIGNED)],
  ['encrypted by RSA1_5', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, alg: 'RSA1_5' }))],
  ['encrypted by RSA-OAEP-256', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, alg: 'RSA-OAEP-256' }))],
  ['encrypted by A128CBC-HS256', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, enc: 'A128CBC-HS256' }))],
  ['encrypted by A256GCM', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, enc: 'A256GCM' }))],
  [
    'encrypted with a symmetric key of zeros',
    'other-encryption',
    inLayers(SIGNED, encrypted({ ...OUTER, alg: 'dir' }, secretOf(Buffer.alloc(64)))),
  ],
  ['without a kid', 'unknown-service-key', inLayers(SIGNED, encrypted({ ...OUTER, kid: undefined }))],
  ['with an unknown kid', 'unknown-service-key', inLayers(SIGNED, encrypted({ ...OUTER, kid: 'another' }))],
  [
    'with the kid of another key that the service accepts',
    'wrong-service-key',
    inLayers(SIGNED, encrypted({ ...OUTER, kid: OLDER_KID })),
  ],
  ['that is compressed', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, zip: 'DEF' }))],
  [
    'that names its kid twice',
    'malformed',
    inLayers(SIGNED, { ...ENCRYPTED, header: `{"kid":"another",${ENCRYPTED.header.slice(1)}` }),
  ],
  ['without a signature', 'not-signed', inLayers(ENCRYPTED)],
  ['encrypted twice', 'not-signed', inLayers(SIGNED, ENCRYPTED, ENCRYPTED)],
  [
    'that names its signature twice',
    'not-signed',
    inLayers({ ...SIGNED, header: `{"alg":"none",${SIGNED.header.slice(1)}` }, ENCRYPTED),
  ],
  ['signed by none', 'other-signature', inLayers(signed({ alg: 'none' }, null), ENCRYPTED)],
  ['signed by HS512 with the public key in PEM form', 'other-signature', inLayers(byPublicKey('pem'), ENCRYPTED)],
  ['signed by HS512 with the public key in DER form', 'other-signature', inLayers(byPublicKey('der'), ENCRYPTED)],
  ['signed by RS256', 'other-signature', inLayers(signed({ alg: 'RS256' }), ENCRYPTED)],
  ['signed by PS512', 'other-signature', inLayers(signed({ alg: 'PS512' }), ENCRYPTED)],
  [
    'signed with the key in its own header',
    'wrong-signature',
    inLayers(signed({ alg: 'RS512', jwk: jwkOf(createPublicKey(OLDER_KEY)) }, jwkOf(OLDER_KEY)), ENCRYPTED),
  ],
  ['with two viewers', 'wrong-claims', claiming(`{"sub":"ada","iat":${ISSUED_AT},"sub":"eve"}`)],
  ['with two times', 'wrong-claims', claiming(`{"sub":"ada","iat":${ISSUED_AT - 61},"iat":${ISSUED_AT}}`)],
  ['with a time in fractions', 'wrong-claims', claiming(`{"sub":"ada","iat":${ISSUED_AT}.5}`)],
  ['from one second in the future', 'issued-in-future', claiming(`{"sub":"ada","iat":${ISSUED_AT + 1}}`)],
  ['61 seconds old', 'expired', claiming(`{"sub":"ada","iat":${ISSUED_AT - 61}}`)],
]

/** Builds tokens with jwcrypto: two that the service accepts in the second of their `iat`, and others that it refuses. */
export function tokensOfJwcrypto(): { good: string; oldest: string; refused: AlteredToken[] } {
  const oldest = claiming(`{"sub":"ada","iat":${ISSUED_AT - 60}}`)
  const built = buildWithJwcrypto([GOOD, oldest, ...REFUSED.map(([, , token]) => token)])
  const refused = REFUSED.map(([name, reason], index) => ({ name, reason, token: built[index + 2] ?? '' }))
  return { good: built[0] ?? '', oldest: built[1] ?? '', refused }
}

function inLayers(...layers: Layer[]): TokenToBuild {
  return { text: CLAIMS, layers }
}

function claiming(text: string): TokenToBuild {
  return { ...GOOD, text }
}

function signed(header: object, key: Layer['key'] = CONTENT_JWK): Layer {
  return { header: JSON.stringify(header), key }
}

function encrypted(header: object, key: Layer['key'] = SERVICE_JWK): Layer {
  return { header: JSON.stringify(header), key }
}

/** Algorithm confusion: the public key is not a secret, so it must not verify an HMAC. */
function byPublicKey(format: 'pem' | 'der'): Layer {
  const pem = publicKeyPem(CONTENT_KEY)
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  return signed({ alg: 'HS512' }, secretOf(format === 'pem' ? Buffer.from(pem) : der))
}

function secretOf(bytes: Buffer): Layer['key'] {
  return { kty: 'oct', k: bytes.toString('base64url') }
}
