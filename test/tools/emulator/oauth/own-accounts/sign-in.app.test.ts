import { beforeEach, describe, expect, test } from 'vitest'
import en from '../../../../../src/tools/emulator/oauth/texts/en.json' with { type: 'json' }
import { roomAppForFile } from '../room-app.ts'
import { NEWSROOM, STUDIO } from '../room-database.ts'
import { isSignedIn, openVisitor, SPANISH_QUERY, signIn, type Visitor } from '../visitor.ts'

const app = roomAppForFile()
let visitor: Visitor

beforeEach(() => {
  visitor = openVisitor(app.url)
})

describe('Signing in', () => {
  test.each([
    ['an unknown name', { username: 'nobody', password: STUDIO.password }],
    ['a wrong password', { username: STUDIO.username, password: 'wrong' }],
    ['the password of another', { username: STUDIO.username, password: NEWSROOM.password }],
    ['no password', { username: STUDIO.username }],
    ['no name', { password: STUDIO.password }],
    ['a name of SQL', { username: "' OR 1=1 --", password: 'x' }],
    ['a name of 300 characters', { username: 'x'.repeat(300), password: 'x' }],
  ])('a sign-in with %s gets the same 401 page, without a cookie', async (_case, fields) => {
    const page = await visitor.post('/account/sign-in', fields)
    expect([page.status, page.alert]).toEqual([401, en.wrongCredentials])
    expect(page.headers.get('set-cookie')).toBeNull()
  })

  test('a failed sign-in shows the name again, escaped, but never the password', async () => {
    const page = await visitor.post('/account/sign-in', { username: '"><b>ada', password: 'not the one' })
    expect(page.html).toContain('value="&#34;&gt;&lt;b&gt;ada"')
    expect(page.html).not.toContain('not the one')
  })

  test('the session cookie is HttpOnly and SameSite=Lax', async () => {
    const { headers } = await signIn(visitor)
    expect(headers.get('set-cookie')).toMatch(/^emulator-account=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('each sign-in gives a new session id and ends the old session', async () => {
    await signIn(visitor)
    const before = visitor.cookie()
    await signIn(visitor)
    expect(visitor.cookie()).not.toBe(before)
    const { status } = await fetch(`${app.url}/account/clients`, {
      headers: { cookie: `emulator-account=${before}` },
      redirect: 'manual',
    })
    expect(status).toBe(303)
  })

  test('a sign-in does not adopt a session id from the browser', async () => {
    const headers = { cookie: 'emulator-account=s%3Achosen-by-someone-else.AAAA' }
    const { username, password } = STUDIO
    const page = await visitor.post('/account/sign-in', { username, password }, headers)
    expect(page.headers.get('set-cookie')).toMatch(/^emulator-account=/)
    expect(page.headers.get('set-cookie')).not.toContain('chosen-by-someone-else')
  })

  test('signing out ends the session on the server', async () => {
    await signIn(visitor)
    const cookie = visitor.cookie()
    expect((await visitor.post('/account/sign-out', {})).location).toBe('/account/sign-in')
    const { status } = await fetch(`${app.url}/account/clients`, {
      headers: { cookie: `emulator-account=${cookie}` },
      redirect: 'manual',
    })
    expect(status).toBe(303)
  })

  test('a session ends after eight hours', async () => {
    await signIn(visitor)
    app.setClock(app.nowSeconds() + 8 * 3_600 - 1)
    expect(await isSignedIn(visitor)).toBe(true)
    app.setClock(app.nowSeconds() + 1)
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('a sign-in from a page of another site is refused', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const page = await visitor.post(
      '/account/sign-in',
      { username: STUDIO.username, password: STUDIO.password },
      headers,
    )
    expect([page.status, page.headers.get('set-cookie')]).toEqual([403, null])
  })

  test('a sign-in redirects only to our own pages', async () => {
    const fields = {
      username: STUDIO.username,
      password: STUDIO.password,
      request: `${SPANISH_QUERY}&x=//evil.example`,
    }
    const page = await visitor.post('/account/sign-in', fields)
    expect(page.location).toMatch(/^\/authorize\?response_type=code&client_id=1/)
    expect(page.location).not.toContain('evil')
  })
})
