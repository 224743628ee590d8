import { describe, expect, test } from 'vitest'
import { issueCode } from '../../../../../src/tools/emulator/oauth/tokens/code-store.ts'
import { roomAppForFile } from '../room-app.ts'
import { NEWSROOM_CLIENT, STUDIO, STUDIO_CLIENT } from '../room-database.ts'
import { askForToken, basic, PASSWORD_GRANT, without } from '../token-client.ts'

const HEX_40 = /^[0-9a-f]{40}$/
const REDIRECT_URI = 'http://127.0.0.1:5000/callback'

const app = roomAppForFile()

function freshCode(overrides: Partial<Parameters<typeof issueCode>[1]> = {}): string {
  const request = { clientId: STUDIO_CLIENT.clientId, userId: STUDIO.id, redirectUri: REDIRECT_URI }
  return issueCode(
    app.database,
    { ...request, deviceName: null, challenge: null, scope: '', ...overrides },
    app.nowSeconds(),
  )
}

function codeGrant(code: string) {
  return { grant_type: 'authorization_code', client_id: STUDIO_CLIENT.clientId, code, redirect_uri: REDIRECT_URI }
}

describe('Token endpoint: a success response', () => {
  test('a success response has status 200, no-store and the documented content type', async () => {
    const { status, headers } = await askForToken(app, codeGrant(freshCode()))
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8')
  })
})

describe('Token endpoint: grant authorization_code', () => {
  test('the code grant returns access_token, refresh_token, expires_in and token_type=bearer', async () => {
    const { body } = await askForToken(app, codeGrant(freshCode()))
    expect(body).toEqual({
      access_token: expect.stringMatching(HEX_40),
      refresh_token: expect.stringMatching(HEX_40),
      expires_in: 86_400,
      token_type: 'bearer',
    })
    expect(body.refresh_token).not.toBe(body.access_token)
  })

  test.each(['grant_type', 'client_id', 'code', 'redirect_uri'])('the code grant requires %s', async (name) => {
    const { status, body } = await askForToken(app, without(codeGrant(freshCode()), name))
    expect([status, body]).toEqual([400, { error: 'invalid_request' }])
    expect(app.explanation()).toContain(name)
  })

  test('a code works for ten minutes, and then gets invalid_grant', async () => {
    const used = freshCode()
    const code = freshCode()
    app.setClock(app.nowSeconds() + 599)
    expect((await askForToken(app, codeGrant(used))).status).toBe(200)
    app.setClock(app.nowSeconds() + 1)
    expect(await askForToken(app, codeGrant(code))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('an unknown code gets invalid_grant', async () => {
    const answer = await askForToken(app, codeGrant('0'.repeat(40)))
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('the redirect_uri must equal that of the authorization step in every character', async () => {
    const code = freshCode()
    const other = { ...codeGrant(code), redirect_uri: `${REDIRECT_URI}/` }
    expect(await askForToken(app, other)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await askForToken(app, codeGrant(code))).status).toBe(200)
  })

  test('another client gets invalid_client for a code, which stays valid', async () => {
    const code = freshCode()
    const thief = { ...codeGrant(code), client_id: NEWSROOM_CLIENT.clientId }
    const answer = await askForToken(app, thief, { authorization: basic(NEWSROOM_CLIENT) })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    expect((await askForToken(app, codeGrant(code))).status).toBe(200)
  })

  test.each(['mac', 'jwt'])('the code grant refuses token_type=%s, and the code stays valid', async (kind) => {
    const code = freshCode()
    const answer = await askForToken(app, { ...codeGrant(code), token_type: kind })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect((await askForToken(app, { ...codeGrant(code), token_type: 'bearer' })).status).toBe(200)
  })

  test('of twenty parallel requests with one code, exactly one gets a token', async () => {
    const code = freshCode()
    const answers = await Promise.all(Array.from({ length: 20 }, () => askForToken(app, codeGrant(code))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
  })

  test('the second use of a code revokes its token', async () => {
    const code = freshCode()
    const { body } = await askForToken(app, codeGrant(code))
    const channels = () =>
      fetch(`${app.url}/users/self/channels.json`, { headers: { authorization: `Bearer ${body.access_token}` } })
    expect((await channels()).status).toBe(200)
    expect(await askForToken(app, codeGrant(code))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await channels()).status).toBe(401)
  })

  test('the second use of a code revokes its token even after the code expired', async () => {
    const code = freshCode()
    const { body } = await askForToken(app, codeGrant(code))
    app.setClock(app.nowSeconds() + 3_600)
    freshCode()
    await askForToken(app, codeGrant(code))
    const { status } = await fetch(`${app.url}/users/self/channels.json`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(status).toBe(401)
  })

  test('another client that sends a used code revokes no token', async () => {
    const code = freshCode()
    const { body } = await askForToken(app, codeGrant(code))
    const thief = { ...codeGrant(code), client_id: NEWSROOM_CLIENT.clientId }
    await askForToken(app, thief, { authorization: basic(NEWSROOM_CLIENT) })
    const { status } = await fetch(`${app.url}/users/self/channels.json`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(status).toBe(200)
  })
})

describe('Tokens in the database', () => {
  test('the database holds no token, refresh token, code or MAC key in plaintext', async () => {
    const code = freshCode()
    const issued = [
      (await askForToken(app, codeGrant(code))).body,
      (await askForToken(app, { ...PASSWORD_GRANT, token_type: 'mac' })).body,
    ]
    const secrets = [code, ...issued.flatMap((body) => [body.access_token, body.refresh_token, body.mac_key])]
    const stored = Buffer.concat(
      ['oauth_tokens', 'oauth_authorization_codes'].flatMap((table) =>
        app.database
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .flatMap((row) =>
            Object.values(row).map((value) => Buffer.from(value instanceof Uint8Array ? value : String(value))),
          ),
      ),
    ).toString('latin1')
    for (const secret of secrets.filter((value) => value !== undefined)) expect(stored).not.toContain(String(secret))
  })
})
