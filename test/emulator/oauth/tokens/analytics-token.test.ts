import type { DatabaseSync } from 'node:sqlite'
import { SignJWT } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { signingKey } from '../../../../src/emulator/oauth/signing-key.ts'
import { issueAnalyticsToken, verifyAnalyticsToken } from '../../../../src/emulator/oauth/tokens/analytics-token.ts'
import { findToken } from '../../../../src/emulator/oauth/tokens/token-store.ts'
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

  test('names the user whose content the caller may see', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    expect(await verifyAnalyticsToken({ database, nowSeconds }, accessToken)).toEqual({ ok: true, ownerId: STUDIO.id })
  })

  test('is a JWT that lives for one day', async () => {
    const { accessToken, expiresInSeconds } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    expect(accessToken).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(expiresInSeconds).toBe(86_400)
    now += 86_399
    expect((await verifyAnalyticsToken({ database, nowSeconds }, accessToken)).ok).toBe(true)
    now += 1
    expect(await verifyAnalyticsToken({ database, nowSeconds }, accessToken)).toEqual({
      ok: false,
      reason: 'The token has expired',
    })
  })

  test('is refused once it was revoked', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    database.prepare('UPDATE oauth_tokens SET revoked_at_seconds = ?').run(now)
    expect(await verifyAnalyticsToken({ database, nowSeconds }, accessToken)).toEqual({
      ok: false,
      reason: 'The token was revoked by its user',
    })
  })

  test('is refused by a database with another key', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const other = openRoomDatabase()
    expect((await verifyAnalyticsToken({ database: other, nowSeconds }, accessToken)).ok).toBe(false)
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
  ])('an Authorization header is refused with a sentence: %s', async (_case, header) => {
    const check = await verifyAnalyticsToken({ database, nowSeconds }, header)
    expect(check.ok).toBe(false)
    expect(check.ok ? '' : check.reason).toMatch(/^The .{10,}/)
  })

  test('a JWT signed with our key for another purpose is refused', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const jti = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).jti
    const forged = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('emulated-video-service')
      .setAudience('analytics')
      .setJti(jti)
      .setExpirationTime(now + 60)
      .sign(signingKey(database, 'shown-request'))
    expect((await verifyAnalyticsToken({ database, nowSeconds }, forged)).ok).toBe(false)
  })

  test('its id alone is no token for anything else', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const jti = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).jti
    const found = findToken(database, jti, now)
    expect(found.ok && found.token.kind).toBe('jwt')
  })

  test('the database holds neither the JWT nor its id', async () => {
    const { accessToken } = await issueAnalyticsToken({ database, nowSeconds }, GRANT)
    const jti = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).jti
    const kept = JSON.stringify(database.prepare('SELECT * FROM oauth_tokens').all())
    expect(kept).not.toContain(accessToken)
    expect(kept).not.toContain(jti)
  })
})
