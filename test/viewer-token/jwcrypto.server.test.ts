import { execFileSync } from 'node:child_process'
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { checkViewerToken } from '../../src/viewer-token/token-check.ts'
import { buildViewerToken } from '../../src/viewer-token/viewer-token.ts'
import { type AlteredToken, alteredTokens } from './altered-tokens.ts'
import { CONTENT_KEY, ISSUED_AT, KID, SERVICE_KEY } from './jwcrypto-vectors.ts'
import { BUILD_KEYS, CHECK_KEYS } from './token-keys.ts'

/** Python's jwcrypto, in the place of the service and of a customer's own backend. */

const PROGRAM = fileURLToPath(new URL('jwcrypto-peer.py', import.meta.url))
const SUBJECTS = ['ada@example.com', 'é'.repeat(127), '東京 \u{1f3ac}', 'a|b "c" \\ {"sub":"eve"}', '\u2028']
const NOW = ISSUED_AT + 5
/** Python decodes them to the same bytes. checkViewerToken() refuses them, because a copy could be used once more. */
const OTHER_SPELLINGS = ['with padding', 'with surplus bits at its end']

const Answer = z.object({ checked: z.array(z.string().nullable()), built: z.array(z.string()) })

let altered: AlteredToken[]
let answer: z.infer<typeof Answer>

beforeAll(async () => {
  altered = await alteredTokens()
  const own = await Promise.all(SUBJECTS.map((subject) => buildViewerToken(subject, BUILD_KEYS, NOW)))
  const check = [...own, ...altered.map(({ token }) => token)].map((token) => ({
    token,
    serviceKey: jwk(SERVICE_KEY, KID),
    contentKey: jwk(createPublicKey(CONTENT_KEY)),
    nowSeconds: ISSUED_AT,
  }))
  const build = SUBJECTS.map((sub) => ({
    claims: JSON.stringify({ sub, iat: ISSUED_AT, aud: 'player' }),
    serviceKey: jwk(createPublicKey(SERVICE_KEY), KID),
    contentKey: jwk(CONTENT_KEY),
  }))
  const input = JSON.stringify({ check, build })
  answer = Answer.parse(JSON.parse(execFileSync('/usr/bin/python3', [PROGRAM], { input, encoding: 'utf8' })))
})

function jwk(key: KeyObject, kid?: string): JsonWebKey {
  return { ...key.export({ format: 'jwk' }), ...(kid === undefined ? {} : { kid }) }
}

test('Python accepts every token, in the second of its iat, and reads the viewer', () => {
  expect(answer.checked.slice(0, SUBJECTS.length)).toEqual(SUBJECTS)
})

test('Python refuses every altered token', () => {
  const verdicts = answer.checked.slice(SUBJECTS.length)
  const accepted = altered.filter((_token, index) => verdicts[index] !== null).map(({ name }) => name)
  expect(verdicts).toHaveLength(altered.length)
  expect(altered.length).toBeGreaterThan(45)
  expect(accepted).toEqual(OTHER_SPELLINGS)
})

test('every token of Python is accepted, with its viewer', async () => {
  const checks = await Promise.all(answer.built.map((token) => checkViewerToken(token, CHECK_KEYS, ISSUED_AT)))
  expect(checks.map((check) => check.ok && check.subject)).toEqual(SUBJECTS)
})
