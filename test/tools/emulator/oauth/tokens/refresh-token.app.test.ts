import { describe, expect, test } from 'vitest'
import { challengeOf, issueCode } from '../../../../../src/tools/emulator/oauth/tokens/code-store.ts'
import { findToken } from '../../../../../src/tools/emulator/oauth/tokens/token-store.ts'
import { roomAppForFile } from '../room-app.ts'
import { NEWSROOM_CLIENT, STUDIO, STUDIO_CLIENT } from '../room-database.ts'
import { askForToken, basic } from '../token-client.ts'

const REDIRECT_URI = 'http://127.0.0.1:5000/callback'
const VERIFIER = 'v'.repeat(43)
const app = roomAppForFile()

/** Exchanges a new code, with the challenge of PKCE if given. */
function exchange(challenge: string | null, fields: Record<string, string> = {}) {
  const owner = { clientId: STUDIO_CLIENT.clientId, userId: STUDIO.id }
  const request = { ...owner, redirectUri: REDIRECT_URI, deviceName: null, challenge, scope: 'channels reports' }
  const code = issueCode(app.database, request, app.nowSeconds())
  const grant = { grant_type: 'authorization_code', client_id: STUDIO_CLIENT.clientId, redirect_uri: REDIRECT_URI }
  return askForToken(app, { ...grant, code, ...fields })
}

const refresh = (token: unknown, { clientId, clientSecret } = STUDIO_CLIENT) => {
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: String(token) }
  return askForToken(app, fields, { authorization: basic({ clientId, clientSecret }) })
}
const stateOf = (token: unknown) => {
  const found = findToken(app.database, String(token), app.nowSeconds())
  return found.ok ? 'valid' : found.reason
}

async function revoke(token: unknown, client = STUDIO_CLIENT): Promise<number> {
  const body = new URLSearchParams({ token: String(token), client_id: client.clientId })
  const headers = { authorization: basic(client) }
  return (await fetch(`${app.url}/oauth2/token/revoke`, { method: 'POST', headers, body })).status
}

describe('Token endpoint: grant refresh_token', () => {
  test('a refresh token gives new tokens, also a new refresh token, and works once', async () => {
    const { body: first } = await exchange(null)
    const { status, body: second } = await refresh(first.refresh_token)
    expect([status, second.token_type]).toEqual([200, 'bearer'])
    expect(new Set([first, second].flatMap((body) => [body.access_token, body.refresh_token])).size).toBe(4)
    expect(stateOf(second.access_token)).toBe('valid')
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await refresh(second.refresh_token)).status).toBe(200)
    expect(app.database.prepare('SELECT DISTINCT scope FROM oauth_tokens').all()).toEqual([
      { scope: 'channels reports' },
    ])
  })

  test('a refresh token works for 30 days', async () => {
    const { body: early } = await exchange(null)
    const { body: late } = await exchange(null)
    app.setClock(app.nowSeconds() + 30 * 86_400 - 1)
    expect((await refresh(early.refresh_token)).status).toBe(200)
    app.setClock(app.nowSeconds() + 1)
    expect((await refresh(late.refresh_token)).status).toBe(400)
  })

  test('a refresh token of another client is refused, and stays valid', async () => {
    const { body } = await exchange(null)
    expect(await refresh(body.refresh_token, NEWSROOM_CLIENT)).toMatchObject({ status: 400 })
    expect((await refresh(body.refresh_token)).status).toBe(200)
  })
})

describe('Revocation endpoint', () => {
  test('a revoked access token or refresh token ends both', async () => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const { body } = await exchange(null)
      expect(await revoke(body[name])).toBe(200)
      expect(stateOf(body.access_token)).toBe('was revoked')
      expect((await refresh(body.refresh_token)).status).toBe(400)
    }
  })

  test('an unknown token gets 200, and a token of another client stays valid', async () => {
    const { body } = await exchange(null)
    expect(await revoke('0'.repeat(40))).toBe(200)
    expect(await revoke(body.access_token, NEWSROOM_CLIENT)).toBe(200)
    expect(stateOf(body.access_token)).toBe('valid')
    expect(await revoke(body.access_token, { ...STUDIO_CLIENT, clientSecret: '0'.repeat(40) })).toBe(400)
  })
})

describe('PKCE', () => {
  test.each([
    ['the verifier of the challenge', challengeOf(VERIFIER), { code_verifier: VERIFIER }, 200],
    ['another verifier', challengeOf(VERIFIER), { code_verifier: 'w'.repeat(43) }, 400],
    ['no verifier for a challenge', challengeOf(VERIFIER), {}, 400],
    ['a verifier without a challenge', null, { code_verifier: VERIFIER }, 400],
  ])('PKCE checks %s', async (_what, challenge, fields, status) => {
    expect((await exchange(challenge, fields as Record<string, string>)).status).toBe(status)
  })
})
