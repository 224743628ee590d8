import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  issueAnalyticsToken,
  verifyAnalyticsToken,
} from '../../../../../src/tools/emulator/oauth/tokens/analytics-token.ts'
import { findToken } from '../../../../../src/tools/emulator/oauth/tokens/token-store.ts'
import { openRoomDatabase, STUDIO, STUDIO_CLIENT } from '../room-database.ts'

const GRANT = {
  clientId: STUDIO_CLIENT.clientId,
  userId: STUDIO.id,
  isClientLevel: true,
  scope: '',
  deviceName: null,
} as const

describe('a token for the analytics API', () => {
  let database: DatabaseSync
  let now: number
  const nowSeconds = () => now

  beforeEach(() => {
    database = openRoomDatabase()
    now = 1_800_000_000
  })

  test('a JWT identifies the user whose content the client can see', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    expect(verifyAnalyticsToken({ database, nowSeconds }, accessToken)).toEqual({ ok: true, ownerId: STUDIO.id })
  })

  test('a JWT expires after one day', async () => {
    const { accessToken, expiresInSeconds } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    expect(accessToken).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(expiresInSeconds).toBe(86_400)
    now += 86_399
    expect(verifyAnalyticsToken({ database, nowSeconds }, accessToken).ok).toBe(true)
    now += 1
    expect(verifyAnalyticsToken({ database, nowSeconds }, accessToken)).toEqual({
      ok: false,
      reason: expect.stringContaining('expired'),
    })
  })

  test('a revoked JWT is refused', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    database.prepare('UPDATE oauth_tokens SET revoked_at_seconds = ?').run(now)
    expect(verifyAnalyticsToken({ database, nowSeconds }, accessToken)).toEqual({
      ok: false,
      reason: expect.stringContaining('revoked'),
    })
  })

  test('a JWT of another database is refused', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const other = openRoomDatabase()
    expect(verifyAnalyticsToken({ database: other, nowSeconds }, accessToken).ok).toBe(false)
  })

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one of the form "Bearer JWT"', 'Bearer a.b.c'],
    ['a bearer token', 'f'.repeat(40)],
    ['dots alone', '..'],
    ['one of 5,000 characters', `${'a'.repeat(5_000)}.b.c`],
    ['three parts that are no JWT', 'a.b.c'],
    ['a header that says "none"', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.AA'],
  ])('an Authorization header is refused with a reason: %s', (_case, header) => {
    const check = verifyAnalyticsToken({ database, nowSeconds }, header)
    expect(check.ok).toBe(false)
    expect(check.ok ? '' : check.reason).toMatch(/Authorization header|JWT/)
  })

  test('a JWT with other claims is refused', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const [head, body = '', signature] = accessToken.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const changed = Buffer.from(JSON.stringify({ ...claims, exp: now + 200_000 })).toString('base64url')
    const forged = [head, changed, signature].join('.')
    expect(verifyAnalyticsToken({ database, nowSeconds }, forged).ok).toBe(false)
  })

  test('a JWT has the kind jwt, so that other APIs refuse it', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const found = findToken(database, accessToken, now)
    expect(found.ok && found.token.kind).toBe('jwt')
  })

  test('the database holds neither the JWT nor its id', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const jti = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).jti
    const stored = JSON.stringify(database.prepare('SELECT * FROM oauth_tokens').all())
    expect(stored).not.toContain(accessToken)
    expect(stored).not.toContain(jti)
  })
})
