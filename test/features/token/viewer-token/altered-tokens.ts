import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { encrypt, OUTER, sign } from './jose-tokens.ts'
import { CONTENT_KEY, ISSUED_AT, TOKEN_WITH_LEADING_ZERO } from './jwcrypto-vectors.ts'

/** A token that the service refuses in the second of its `iat`, and the reason. */
export interface AlteredToken {
  readonly name: string
  readonly token: string
  readonly reason: string
}

const CLAIMS = `{"sub":"ada@example.com","iat":${ISSUED_AT}}`
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
const EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey

export async function alteredTokens(): Promise<AlteredToken[]> {
  return [...(await otherEnvelopes()), ...(await otherSignatures()), ...(await otherClaims())]
}

async function otherEnvelopes(): Promise<AlteredToken[]> {
  const signed = await sign(CLAIMS)
  const good = await encrypt(signed)
  const [header = '', key = '', iv = '', text = '', tag = ''] = good.split('.')
  const renamed = encode(JSON.stringify({ ...OUTER, kid: 'another' }))
  const twice = encode(`{"alg":"none",${JSON.stringify(OUTER).slice(1)}`)
  const stripped = TOKEN_WITH_LEADING_ZERO.split('.')
  stripped[1] = Buffer.from(stripped[1] ?? '', 'base64url')
    .subarray(1)
    .toString('base64url')
  return [
    { name: 'that is empty', token: '', reason: 'malformed' },
    {
      name: 'that is an authentication response',
      token: `[{"user":"ada"},{"hash":"${'0'.repeat(32)}"}]`,
      reason: 'malformed',
    },
    { name: 'without its tag', token: [header, key, iv, text].join('.'), reason: 'malformed' },
    { name: 'with a sixth part', token: `${good}.`, reason: 'malformed' },
    { name: 'with padding', token: good.replace('.', '=.'), reason: 'malformed' },
    { name: 'with a line end', token: `${good}\n`, reason: 'malformed' },
    { name: 'with surplus bits at its end', token: surplusBits(good), reason: 'malformed' },
    { name: 'longer than any token', token: `${good}${'A'.repeat(8192)}`, reason: 'malformed' },
    { name: 'whose header is not JSON', token: good.replace(header, encode('{')), reason: 'malformed' },
    { name: 'whose header is a list', token: good.replace(header, encode('[]')), reason: 'malformed' },
    { name: 'whose header names the algorithm twice', token: good.replace(header, twice), reason: 'malformed' },
    { name: 'that is signed only', token: signed, reason: 'not-encrypted' },
    {
      name: 'that is not signed and not encrypted',
      token: `${encode('{"alg":"none"}')}.${encode(CLAIMS)}.`,
      reason: 'not-encrypted',
    },
    { name: 'whose header says RSA1_5', token: rename({ ...OUTER, alg: 'RSA1_5' }), reason: 'other-encryption' },
    {
      name: 'encrypted by RSA-OAEP-256',
      token: await encrypt(signed, { ...OUTER, alg: 'RSA-OAEP-256' }),
      reason: 'other-encryption',
    },
    {
      name: 'encrypted by A256GCM',
      token: await encrypt(signed, { ...OUTER, enc: 'A256GCM' }),
      reason: 'other-encryption',
    },
    {
      name: 'without a kid',
      token: await encrypt(signed, { ...OUTER, kid: undefined }),
      reason: 'unknown-service-key',
    },
    { name: 'with another kid', token: good.replace(header, renamed), reason: 'unknown-service-key' },
    {
      name: 'encrypted with another key',
      token: await encrypt(signed, OUTER, OTHER_KEY.publicKey),
      reason: 'wrong-service-key',
    },
    { name: 'with a changed header', token: rename({ ...OUTER, typ: 'jwt' }), reason: 'wrong-service-key' },
    {
      name: 'with an unknown critical header',
      token: rename({ ...OUTER, crit: ['x'], x: 1 }),
      reason: 'wrong-service-key',
    },
    { name: 'with a changed text', token: good.replace(text, flipFirst(text)), reason: 'wrong-service-key' },
    { name: 'with a changed tag', token: good.replace(tag, flipFirst(tag)), reason: 'wrong-service-key' },
    {
      name: 'with the encrypted key of another token',
      token: good.replace(key, (await encrypt(signed)).split('.')[1] ?? ''),
      reason: 'wrong-service-key',
    },
    { name: 'without the zero byte before its encrypted key', token: stripped.join('.'), reason: 'wrong-service-key' },
  ]

  function rename(changed: object): string {
    return good.replace(header, encode(JSON.stringify(changed)))
  }
}

async function otherSignatures(): Promise<AlteredToken[]> {
  const signed = await sign(CLAIMS)
  const [header = '', payload = '', signature = ''] = signed.split('.')
  const publicKey = createPublicKey(CONTENT_KEY)
  const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const none = (alg: string) => `${encode(JSON.stringify({ alg }))}.${payload}.`
  const tokens: [name: string, signed: string, reason: string][] = [
    ['without a signature', CLAIMS, 'not-signed'],
    ['with empty content', '', 'not-signed'],
    ['encrypted twice', await encrypt(signed), 'not-signed'],
    ['signed by none', none('none'), 'other-signature'],
    ['signed by NONE', none('NONE'), 'other-signature'],
    ['signed by HS512 with the public key in PEM form', await sign(CLAIMS, 'HS512', pem), 'other-signature'],
    ['signed by HS512 with the public key in DER form', await sign(CLAIMS, 'HS512', der), 'other-signature'],
    ['signed by RS256', await sign(CLAIMS, 'RS256'), 'other-signature'],
    ['signed by PS512', await sign(CLAIMS, 'PS512'), 'other-signature'],
    ['signed by ES512', await sign(CLAIMS, 'ES512', EC_KEY), 'other-signature'],
    ['with an empty signature', `${header}.${payload}.`, 'wrong-signature'],
    ['with a changed signature', `${header}.${payload}.${flipFirst(signature)}`, 'wrong-signature'],
    ['with changed claims', `${header}.${encode(CLAIMS.replace('ada', 'eve'))}.${signature}`, 'wrong-signature'],
    ['signed with another key', await sign(CLAIMS, 'RS512', OTHER_KEY.privateKey), 'wrong-signature'],
    [
      'signed with the key in its own header',
      await sign(CLAIMS, 'RS512', OTHER_KEY.privateKey, { jwk: OTHER_KEY.publicKey.export({ format: 'jwk' }) }),
      'wrong-signature',
    ],
  ]
  return Promise.all(tokens.map(async ([name, content, reason]) => ({ name, token: await encrypt(content), reason })))
}

function otherClaims(): Promise<AlteredToken[]> {
  const iat = ISSUED_AT
  const claims: [name: string, claims: string, reason: string][] = [
    ['with two viewers', `{"sub":"ada","iat":${iat},"sub":"eve"}`, 'wrong-claims'],
    ['with two viewers, one escaped', `{"sub":"ada","iat":${iat},"\\u0073ub":"eve"}`, 'wrong-claims'],
    ['with two times', `{"iat":${iat - 100},"sub":"ada","iat":${iat}}`, 'wrong-claims'],
    ['without a viewer', `{"iat":${iat}}`, 'wrong-claims'],
    ['with an empty viewer', `{"sub":"","iat":${iat}}`, 'wrong-claims'],
    ['with a number as the viewer', `{"sub":7,"iat":${iat}}`, 'wrong-claims'],
    ['without a time', '{"sub":"ada"}', 'wrong-claims'],
    ['with a time as text', `{"sub":"ada","iat":"${iat}"}`, 'wrong-claims'],
    ['with no claims', 'null', 'wrong-claims'],
    ['from one second in the future', `{"sub":"ada","iat":${iat + 1}}`, 'issued-in-future'],
    ['from the future, in milliseconds', `{"sub":"ada","iat":${iat}000}`, 'issued-in-future'],
    ['61 seconds old', `{"sub":"ada","iat":${iat - 61}}`, 'expired'],
  ]
  return Promise.all(
    claims.map(async ([name, text, reason]) => ({ name, token: await encrypt(await sign(text)), reason })),
  )
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function flipFirst(part: string): string {
  return `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`
}

/** A tag of 32 bytes leaves two bits in its last character, which many decoders ignore. */
export function surplusBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1]
}
