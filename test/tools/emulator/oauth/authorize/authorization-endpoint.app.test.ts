import { beforeEach, describe, expect, test } from 'vitest'
import de from '../../../../../src/tools/emulator/oauth/texts/de.json' with { type: 'json' }
import en from '../../../../../src/tools/emulator/oauth/texts/en.json' with { type: 'json' }
import es from '../../../../../src/tools/emulator/oauth/texts/es.json' with { type: 'json' }
import { roomAppForFile } from '../room-app.ts'
import { STUDIO, STUDIO_CLIENT } from '../room-database.ts'
import { askForToken } from '../token-client.ts'
import { openVisitor, type Page, type Visitor } from '../visitor.ts'

const HEX_40 = /^[0-9a-f]{40}$/
const REDIRECT_URI = 'http://127.0.0.1:5000/callback'

const app = roomAppForFile()
let visitor: Visitor

beforeEach(() => {
  visitor = openVisitor(app.url)
})

const REQUEST = { response_type: 'code', client_id: STUDIO_CLIENT.clientId, redirect_uri: REDIRECT_URI }

function authorizePath(change: Record<string, string> = {}, rest = ''): string {
  return `/authorize?${new URLSearchParams({ ...REQUEST, ...change })}${rest}`
}

async function signIn(path: string): Promise<Page> {
  const answer = await visitor.submit(await visitor.get(path), { username: STUDIO.username, password: STUDIO.password })
  expect(answer.status).toBe(303)
  return visitor.get(answer.location ?? '')
}

/** Signs in and decides. Returns the redirect. */
async function decide(path: string, decision: 'allow' | 'deny'): Promise<string> {
  const answer = await visitor.submit(await signIn(path), { decision })
  expect(answer.status).toBe(303)
  return answer.location ?? ''
}

function resultOf(location: string): Record<string, string> {
  return Object.fromEntries(new URL(location).searchParams)
}

describe('Authorization endpoint: parameters', () => {
  test('the authorization endpoint accepts GET parameters', async () => {
    const page = await visitor.get(authorizePath())
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.html).toContain('type="password"')
  })

  test('the authorization endpoint accepts POST parameters, also from the site of a client', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://client.example' }
    const page = await visitor.post('/authorize', REQUEST, headers)
    expect(page.status).toBe(200)
    const signedIn = await visitor.submit(page, { username: STUDIO.username, password: STUDIO.password })
    expect((await visitor.get(signedIn.location ?? '')).html).toContain('name="decision"')
  })

  test('response_type=code appends a code that can be exchanged', async () => {
    const result = resultOf(await decide(authorizePath(), 'allow'))
    expect(result).toEqual({ code: expect.stringMatching(HEX_40) })
    const { status } = await askForToken(app, {
      grant_type: 'authorization_code',
      client_id: STUDIO_CLIENT.clientId,
      code: result.code ?? '',
      redirect_uri: REDIRECT_URI,
    })
    expect(status).toBe(200)
  })

  test('response_type=token appends access_token, expires_in and token_type=bearer', async () => {
    const location = await decide(authorizePath({ response_type: 'token', state: 's' }), 'allow')
    expect(resultOf(location)).toEqual({
      access_token: expect.stringMatching(HEX_40),
      expires_in: '86400',
      token_type: 'bearer',
      state: 's',
    })
    expect(new URL(location).hash).toBe('')
  })

  test('response_type=token with token_type=mac also appends mac_key, created_at and mac_algorithm', async () => {
    const path = authorizePath({ response_type: 'token', token_type: 'mac', scope: 'broadcaster', state: 's' })
    expect(resultOf(await decide(path, 'allow'))).toEqual({
      access_token: expect.stringMatching(HEX_40),
      expires_in: '86400',
      mac_key: expect.stringMatching(HEX_40),
      created_at: '1800000000',
      mac_algorithm: 'hmac-sha-1',
      token_type: 'mac',
      state: 's',
    })
  })

  test.each([
    ['is missing', { response_type: '' }, 'invalid_request'],
    ['is unknown', { response_type: 'id_token' }, 'unsupported_response_type'],
  ])('a response_type that %s redirects with an error', async (_case, change, error) => {
    const page = await visitor.get(authorizePath({ ...change, state: 's' }))
    expect(page.status).toBe(303)
    expect(resultOf(page.location ?? '')).toEqual({ error, state: 's' })
  })

  test.each(['', '0'.repeat(40), `${STUDIO_CLIENT.clientId}0`])(
    'client_id %j: a page, no redirect',
    async (clientId) => {
      const page = await visitor.get(authorizePath({ client_id: clientId }))
      expect([page.status, page.location]).toEqual([400, null])
      expect(page.html).toContain(en.unknownClient)
    },
  )

  test.each([
    '',
    'http://127.0.0.1:5000/elsewhere',
    'https://evil.example/callback',
    `${REDIRECT_URI}#x`,
    'javascript:alert(1)',
  ])('the redirect_uri %j shows a page without a link to it, and no redirect', async (redirectUri) => {
    const page = await visitor.get(authorizePath({ redirect_uri: redirectUri }))
    expect([page.status, page.location]).toEqual([400, null])
    expect(page.html).toContain(en.foreignAddress)
    expect(page.html).not.toContain('evil.example')
  })

  test('a redirect_uri keeps its own query, byte for byte', async () => {
    const location = await decide(authorizePath({ redirect_uri: `${REDIRECT_URI}?a=b%20c+d&e=~%7e` }), 'allow')
    expect(location).toMatch(/^http:\/\/127\.0\.0\.1:5000\/callback\?a=b%20c\+d&e=~%7e&code=[0-9a-f]{40}$/)
  })

  test.each([
    ['letters', 'abcXYZ09-._~', 'abcXYZ09-._~'],
    ['spaces and plus signs', 'a+b%20c%2Bd', 'a%20b%20c%2Bd'],
    ['what would begin another parameter or a fragment', '%26code%3Dx%23', '%26code%3Dx%23'],
    ['line breaks', 'a%0D%0ASet-Cookie%3A+x%3Dy', 'a%0D%0ASet-Cookie%3A%20x%3Dy'],
    ['markup', '%22%3E%3Cscript%3E%27', "%22%3E%3Cscript%3E'"],
    ['a percent sign that encodes nothing', '100%', '100%25'],
    ['another encoding inside', '%2541', '%2541'],
  ])('the state is returned unchanged: %s', async (_case, sent, returned) => {
    const path = authorizePath({}, `&state=${sent}`)
    expect(await decide(path, 'allow')).toMatch(
      new RegExp(`\\?code=[0-9a-f]{40}&state=${returned.replace('.', '\\.')}$`),
    )
    visitor = openVisitor(app.url)
    expect(await decide(path, 'deny')).toBe(`${REDIRECT_URI}?error=access_denied&state=${returned}`)
  })

  test('the page shows the scope broadcaster, which needs token_type=mac', async () => {
    const asked = await signIn(authorizePath({ response_type: 'token', token_type: 'mac', scope: 'broadcaster' }))
    expect(asked.html).toContain(en.mayBroadcast)
    const unasked = await visitor.get(authorizePath({ response_type: 'token', token_type: 'mac', scope: '' }))
    expect(unasked.html).toContain('name="decision"')
    expect(unasked.html).not.toContain(en.mayBroadcast)
  })

  test('the page shows each of several scopes', async () => {
    const asked = await signIn(authorizePath({ response_type: 'token', token_type: 'mac', scope: 'broadcaster a<b' }))
    expect(asked.html).toContain(`<li>${en.mayBroadcast}</li><li>a&lt;b</li>`)
  })

  test.each([
    ['broadcaster with bearer', { response_type: 'token', scope: 'broadcaster' }],
    ['broadcaster with a code', { scope: 'broadcaster' }],
    ['broadcaster among others with a code', { scope: 'reports broadcaster' }],
  ])('the scope %s redirects with invalid_scope', async (_case, change) => {
    const page = await visitor.get(authorizePath(change))
    expect(page.location).toBe(`${REDIRECT_URI}?error=invalid_scope`)
  })

  test.each([
    ['mac with a code', { token_type: 'mac' }],
    ['jwt', { response_type: 'token', token_type: 'jwt' }],
    ['of another name', { response_type: 'token', token_type: 'x' }],
  ])('the token_type %s redirects with invalid_request', async (_case, change) => {
    const page = await visitor.get(authorizePath(change))
    expect(page.location).toBe(`${REDIRECT_URI}?error=invalid_request`)
  })

  test('the page shows the device_name, and so does the list of connected clients', async () => {
    const path = authorizePath({ response_type: 'token', device_name: 'Böse <b>Box</b> & "Co"' })
    const page = await signIn(path)
    expect(page.html).toContain('Böse &lt;b&gt;Box&lt;/b&gt; &amp; &#34;Co&#34;')
    await visitor.submit(page, { decision: 'allow' })
    expect((await visitor.get('/account/clients')).html).toContain('Böse &lt;b&gt;Box&lt;/b&gt; &amp; &#34;Co&#34;')
  })

  test.each([
    ['de_DE', 'de', de],
    ['es_MX', 'es', es],
    ['en_GB', 'en', en],
    ['de', 'de', de],
    ['fi_FI', 'en', en],
    ['"><script>', 'en', en],
    ['x'.repeat(500), 'en', en],
  ])('lang=%s shows the page in the language %s', async (lang, language, words) => {
    const page = await visitor.get(authorizePath({ lang }))
    expect(page.html).toContain(`<html lang="${language}">`)
    expect(page.html).toContain(`<h1>${words.signInHeading}</h1>`)
    expect(page.headers.get('content-language')).toBe(language)
  })
})

describe('Authorization endpoint: bad requests', () => {
  test.each(['client_id', 'redirect_uri'])('a repeated %s: a page, no redirect', async (name) => {
    const page = await visitor.get(authorizePath({}, `&${name}=x`))
    expect([page.status, page.location]).toEqual([400, null])
  })

  test.each(['response_type', 'scope', 'device_name', 'unknown'])('a repeated %s: invalid_request', async (name) => {
    const page = await visitor.get(authorizePath({ state: 's' }, `&${name}=1&${name}=2`))
    expect(page.location).toBe(`${REDIRECT_URI}?error=invalid_request&state=s`)
  })

  test('a repeated state redirects with invalid_request and without a state', async () => {
    const page = await visitor.get(authorizePath({}, '&state=a&state=b'))
    expect(page.location).toBe(`${REDIRECT_URI}?error=invalid_request`)
  })

  test.each(['PUT', 'DELETE', 'PATCH'])('%s is 405 with Allow', async (method) => {
    const response = await fetch(app.url + authorizePath(), { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})
