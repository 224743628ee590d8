import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  parseContentKey,
  parseContentPublicKey,
  publicKeyPem,
} from '../../../../src/features/token/viewer-token/content-key.ts'
import { CONTENT_KEY } from './jwcrypto-vectors.ts'

const PUBLIC = createPublicKey(CONTENT_KEY)
const PKCS8 = privatePem(CONTENT_KEY)
const PKCS1 = CONTENT_KEY.export({ type: 'pkcs1', format: 'pem' }).toString()
const SPKI = PUBLIC.export({ type: 'spki', format: 'pem' }).toString()
const PUBLIC_PKCS1 = PUBLIC.export({ type: 'pkcs1', format: 'pem' }).toString()
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const OTHER = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const { n: OWN_MODULUS = '' } = PUBLIC.export({ format: 'jwk' })
const EVEN_MODULUS = Buffer.from(OWN_MODULUS, 'base64url').fill(0, 255).toString('base64url')
const SHORT = generateKeyPairSync('rsa', { modulusLength: 1024 })
const PSS = generateKeyPairSync('rsa-pss', { modulusLength: 2048 })

/** Returns the content key with numbers of other keys, in PEM form. */
function mixedPem(numbers: JsonWebKey): string {
  const key = { ...CONTENT_KEY.export({ format: 'jwk' }), ...numbers }
  return privatePem(createPrivateKey({ key, format: 'jwk' }))
}

function publicPemWith(numbers: JsonWebKey): string {
  const key = { ...PUBLIC.export({ format: 'jwk' }), ...numbers }
  return createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()
}

function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function encrypted(type: 'pkcs1' | 'pkcs8'): string {
  return CONTENT_KEY.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
}

function block(label: string, content = 'AAAA'): string {
  return `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`
}

test.each([
  ['in PKCS#8', PKCS8],
  ['in PKCS#1, as ssh-keygen -m PEM writes it', PKCS1],
  ['with line ends of Windows', PKCS8.replaceAll('\n', '\r\n')],
  ['in one line with \\n', PKCS8.replaceAll('\n', '\\n')],
  ['in one line with \\r\\n', PKCS8.replaceAll('\n', '\\r\\n')],
  ['in one line with blanks, as in a sample of the service', PKCS8.trim().replaceAll('\n', ' ')],
  ['with blanks at the start of its lines', PKCS8.replaceAll('\n', '\n    ')],
  ['with text around it', `Key of channel 1002\n\n${PKCS1}\n\n`],
])('a content key %s is accepted', (_name, pem) => {
  expect(parseContentKey(pem).equals(CONTENT_KEY)).toBe(true)
})

const NOT_PEM = 'is not a private key in PEM form, which starts with -----BEGIN'
const UNREADABLE = 'is not a readable private key in PEM form'
const EXPONENT = 'has a public exponent that is not an odd number from 3 to 4294967295: generate another key'
const DAMAGED = 'is damaged: its numbers do not fit together'
const PUBLIC_HALF = 'is the public half of the key pair: use the private key'
const ENCRYPTED = 'is encrypted with a passphrase: decrypt it with openssl pkey -in FILE -out NEW_FILE'

test.each([
  ['that is empty', '', NOT_PEM],
  ['that is a secret', '3f9a1c7be2d84560af13c9d27e6b8045', NOT_PEM],
  ['that is a JWK', JSON.stringify(CONTENT_KEY.export({ format: 'jwk' })), NOT_PEM],
  ['that is DER in base64', CONTENT_KEY.export({ type: 'pkcs8', format: 'der' }).toString('base64'), NOT_PEM],
  ['that is a public key of OpenSSH', 'ssh-rsa AAAAB3NzaC1yc2E= ada@laptop', NOT_PEM],
  ['of more than 20,000 characters', PKCS8 + 'x'.repeat(20_000), NOT_PEM],
  ['with garbage in it', block('PRIVATE KEY'), UNREADABLE],
  ['that was cut off', PKCS8.slice(0, 900), UNREADABLE],
  [
    'without its line ends',
    PKCS8.replaceAll('\n', ''),
    'is in one line: keep its line ends, or write \\n in their place',
  ],
  ['in quotation marks', JSON.stringify(PKCS8), 'is in quotation marks: remove them'],
  ['in single quotation marks', ` '${PKCS1}'`, 'is in quotation marks: remove them'],
  ['that is the public half', SPKI, PUBLIC_HALF],
  ['that is the public half in PKCS#1', PUBLIC_PKCS1, PUBLIC_HALF],
  ['of an elliptic curve', privatePem(EC.privateKey), 'is not an RSA key, but ec: use RSA of 2048 bits'],
  [
    'of an elliptic curve in SEC 1',
    EC.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    'is not an RSA key, but ec: use RSA of 2048 bits',
  ],
  ['for PSS only', privatePem(PSS.privateKey), 'is not an RSA key, but rsa-pss: use RSA of 2048 bits'],
  ['of 1024 bits', privatePem(SHORT.privateKey), 'is an RSA key of 1024 bits: it needs at least 2048'],
  ['with the private numbers of another key', mixedPem({ ...OTHER, n: OWN_MODULUS }), DAMAGED],
  ['with the modulus of another key', mixedPem({ n: OTHER.n ?? '' }), DAMAGED],
  ['with another exponent', mixedPem({ e: 'Aw' }), DAMAGED],
  ['with the exponent 1', mixedPem({ e: 'AQ' }), EXPONENT],
  ['that is encrypted in PKCS#8', encrypted('pkcs8'), ENCRYPTED],
  ['that is encrypted in PKCS#1', encrypted('pkcs1'), ENCRYPTED],
  [
    'of OpenSSH',
    block('OPENSSH PRIVATE KEY'),
    'is in the format of OpenSSH: convert it with ssh-keygen -p -m PEM -f FILE',
  ],
  ['that is a certificate', block('CERTIFICATE'), 'contains a certificate: use a file with the private key only'],
  [
    'with its certificate',
    PKCS8 + block('CERTIFICATE'),
    'contains a certificate: use a file with the private key only',
  ],
  ['with a second key', PKCS8 + privatePem(EC.privateKey), 'contains more than one key: keep only the private key'],
  ['with its public half', PKCS8 + SPKI, 'contains more than one key: keep only the private key'],
])('a content key %s is refused', (_name, pem, message) => {
  expect(() => parseContentKey(pem)).toThrow(new RangeError(message))
})

test('the public half for the service is the same from both forms, and is accepted', () => {
  expect(publicKeyPem(parseContentKey(PKCS1))).toBe(SPKI)
  expect(parseContentPublicKey(SPKI).equals(PUBLIC)).toBe(true)
  expect(parseContentPublicKey(PUBLIC_PKCS1).equals(PUBLIC)).toBe(true)
})

test.each([
  ['that is the private key', PKCS8, 'is the private key, which must stay secret: use the public half'],
  [
    'that is an encrypted private key',
    encrypted('pkcs8'),
    'is the private key, which must stay secret: use the public half',
  ],
  ['that is a certificate', block('CERTIFICATE'), 'contains a certificate: use a file with the public key only'],
  [
    'of 1024 bits',
    SHORT.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'is an RSA key of 1024 bits: it needs at least 2048',
  ],
  ['with an even modulus', publicPemWith({ n: EVEN_MODULUS }), DAMAGED],
  ['with the exponent 2', publicPemWith({ e: 'Ag' }), EXPONENT],
  ['with an exponent of 33 bits', publicPemWith({ e: 'AQAAAAE' }), EXPONENT],
  ['with garbage in it', block('PUBLIC KEY'), 'is not a readable public key in PEM form'],
  ['that is empty', '', 'is not a public key in PEM form, which starts with -----BEGIN'],
])('a public key %s is refused', (_name, pem, message) => {
  expect(() => parseContentPublicKey(pem)).toThrow(new RangeError(message))
})
