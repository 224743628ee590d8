import { beforeEach, describe, expect, test } from 'vitest'
import en from '../../../../../src/tools/emulator/oauth/texts/en.json' with { type: 'json' }
import { roomAppForFile } from '../room-app.ts'
import { NEWSROOM, NEWSROOM_CLIENT, STUDIO, STUDIO_CLIENT } from '../room-database.ts'
import { hiddenFields, openVisitor, type Page, type Visitor } from '../visitor.ts'

const REDIRECT_URI = 'http://127.0.0.1:5000/callback'
const PATH = `/authorize?${new URLSearchParams({
  response_type: 'code',
  client_id: STUDIO_CLIENT.clientId,
  redirect_uri: REDIRECT_URI,
  state: 's',
})}`

const app = roomAppForFile()
let visitor: Visitor

beforeEach(() => {
  visitor = openVisitor(app.url)
})

async function signIn(who = STUDIO, as = visitor): Promise<void> {
  const page = await as.post('/account/sign-in', { username: who.username, password: who.password })
  expect(page.location).toBe('/account/clients')
}

async function shown(path = PATH, as = visitor): Promise<Page> {
  const page = await as.get(path)
  expect(page.html).toContain('name="decision"')
  return page
}

function codesIssued(): number {
  return Number(app.database.prepare('SELECT COUNT(*) AS count FROM oauth_authorization_codes').get()?.count)
}

describe('Allow and Deny', () => {
  test('a failed login does not redirect: the user stays on the page', async () => {
    const page = await visitor.submit(await visitor.get(PATH), { username: STUDIO.username, password: 'wrong' })
    expect([page.status, page.location]).toEqual([401, null])
    expect(page.alert).toBe(en.wrongCredentials)
    const again = await visitor.submit(page, { username: STUDIO.username, password: STUDIO.password })
    expect((await visitor.get(again.location ?? '')).html).toContain('name="decision"')
  })

  test('Deny redirects to redirect_uri with error=access_denied and state', async () => {
    await signIn()
    const answer = await visitor.submit(await shown(), { decision: 'deny' })
    expect([answer.status, answer.location]).toEqual([303, `${REDIRECT_URI}?error=access_denied&state=s`])
  })

  test('Allow applies to the shown request, and ignores other parameters of the form', async () => {
    await signIn()
    const page = await shown()
    const extra = { response_type: 'token', client_id: NEWSROOM_CLIENT.clientId, scope: 'broadcaster', state: 'evil' }
    const answer = await visitor.submit(page, { decision: 'allow', ...extra })
    expect(answer.location).toMatch(/^http:\/\/127\.0\.0\.1:5000\/callback\?code=[0-9a-f]{40}&state=s$/)
  })

  test.each([
    ['without the request', { request: '' }, 400],
    ['without a decision', {}, 200],
    ['with a decision of another name', { decision: 'ALLOW' }, 200],
    ['without the user', { decision: 'allow', user: '' }, 200],
  ])('a decision %s gives the client nothing', async (_case, change, status) => {
    await signIn()
    const before = codesIssued()
    const answer = await visitor.submit(await shown(), change)
    expect([answer.status, answer.location]).toEqual([status, null])
    expect(codesIssued()).toBe(before)
  })

  test('after another user signed in in the same browser, that user gets the page', async () => {
    await signIn()
    const page = await shown()
    await signIn(NEWSROOM)
    const answer = await visitor.submit(page, { decision: 'allow' })
    expect([answer.status, answer.location]).toEqual([200, null])
    expect(answer.html).toContain(NEWSROOM.username)
  })

  test('a decision after signing out leads to the sign-in', async () => {
    await signIn()
    const page = await shown()
    await visitor.post('/account/sign-out', {})
    const answer = await visitor.submit(page, { decision: 'allow' })
    expect([answer.status, answer.location]).toEqual([200, null])
    expect(answer.html).toContain(en.signInHeading)
  })

  test('a decision is refused if the client’s prefix no longer matches the address', async () => {
    await signIn()
    const page = await shown()
    const setPrefix = app.database.prepare('UPDATE clients SET redirect_uri_prefix = ? WHERE client_id = ?')
    setPrefix.run('https://moved.example/', STUDIO_CLIENT.clientId)
    const answer = await visitor.submit(page, { decision: 'allow' })
    setPrefix.run(STUDIO_CLIENT.redirectUriPrefix, STUDIO_CLIENT.clientId)
    expect([answer.status, answer.location]).toEqual([400, null])
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', { origin: 'null' }],
    ['another origin, from a browser without Sec-Fetch-Site', { origin: 'http://127.0.0.1:1' }],
  ])('a decision that is posted from %s is refused', async (_case, headers) => {
    await signIn()
    const fields = hiddenFields((await shown()).html)
    const before = codesIssued()
    const answer = await visitor.post('/authorize/decision', { ...fields, decision: 'allow' }, headers)
    expect([answer.status, answer.location]).toEqual([403, null])
    expect(codesIssued()).toBe(before)
  })

  test.each(['GET', 'PUT'])('/authorize/decision answers %s with 405 and Allow', async (method) => {
    const response = await fetch(`${app.url}/authorize/decision`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('a token belongs to the user who pressed Allow, not to the owner of the client', async () => {
    await signIn(NEWSROOM)
    const answer = await visitor.submit(await shown(PATH.replace('=code', '=token')), { decision: 'allow' })
    const token = new URL(answer.location ?? '').searchParams.get('access_token')
    const response = await fetch(`${app.url}/users/self/channels.json`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await response.json()).toMatchObject({ channels: [{ title: 'News' }] })
  })
})

describe('The pages of the authorization endpoint', () => {
  test('the page with Allow and Deny can redirect to an app’s own scheme', async () => {
    const setPrefix = app.database.prepare('UPDATE clients SET redirect_uri_prefix = ? WHERE client_id = ?')
    setPrefix.run('com.example.app:/oauth', STUDIO_CLIENT.clientId)
    await signIn()
    const path = PATH.replace(encodeURIComponent(REDIRECT_URI), encodeURIComponent('com.example.app:/oauth'))
    const page = await shown(path)
    const answer = await visitor.submit(page, { decision: 'allow' })
    setPrefix.run(STUDIO_CLIENT.redirectUriPrefix, STUDIO_CLIENT.clientId)
    expect(answer.location).toMatch(/^com\.example\.app:\/oauth\?code=[0-9a-f]{40}&state=s$/)
  })

  test.each([
    ['the sign-in', PATH, false],
    ['Allow and Deny', PATH, true],
    ['the refusal', '/authorize?client_id=x', false],
    ['the sign-up', '/account/sign-up', false],
    ['the connected clients', '/account/clients', true],
    ['the password reset', '/account/forgot', false],
  ])('the page with %s cannot be stored, and has no script', async (_page, path, isSignedIn) => {
    if (isSignedIn) await signIn()
    const { headers, html } = await visitor.get(path)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(html).not.toMatch(/<script|<style| style=| on\w+=/)
  })

  test('the redirect to the client sends no referrer and cannot be stored', async () => {
    await signIn()
    const { headers } = await visitor.submit(await shown(), { decision: 'allow' })
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store'])
  })
})
