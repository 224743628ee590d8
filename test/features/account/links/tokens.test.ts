import { expect, test } from 'vitest'
import { newToken, readToken } from '../../../../src/features/account/links/tokens.ts'

test('tokens do not repeat, and have 256 random bits', () => {
  const tokens = Array.from({ length: 1_000 }, () => newToken())
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(1_000)
  const bytes = tokens.map(({ token }) => Buffer.from(token, 'base64url'))
  expect(bytes.every(({ length }) => length === 32)).toBe(true)
  const ones = bytes
    .flatMap((token) => [...token])
    .reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
  expect(Math.abs(ones / (1_000 * 256) - 0.5)).toBeLessThan(0.01)
})

test('a token is read only in its own form, and its digest is another text', () => {
  const { token, digest } = newToken()
  expect(readToken(token)).toEqual({ token, digest })
  expect(digest).not.toContain(token.slice(0, 10))
  for (const text of [undefined, '', [token], `${token}=`, token.slice(1), ` ${token}`, digest.slice(1)]) {
    expect(readToken(text)).toBeNull()
  }
})
