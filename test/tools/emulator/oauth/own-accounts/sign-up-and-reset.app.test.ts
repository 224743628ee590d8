import { beforeEach, describe, expect, test } from 'vitest'
import en from '../../../../../src/tools/emulator/oauth/texts/en.json' with { type: 'json' }
import { roomAppForFile } from '../room-app.ts'
import { STUDIO } from '../room-database.ts'
import { isSignedIn, openVisitor, SPANISH_QUERY, signIn, type Visitor } from '../visitor.ts'

const app = roomAppForFile()
let visitor: Visitor
let names = 0

beforeEach(() => {
  visitor = openVisitor(app.url)
  names += 1
})

function newName(): string {
  return `visitor-${names}@example.com`
}

describe('Signing up', () => {
  test('the authorization page links to a sign-up in the language of lang, which continues with the client’s request', async () => {
    const signInPage = await visitor.get(`/authorize?${SPANISH_QUERY}`)
    const link = /href="(\/account\/sign-up\?[^"]+)"/.exec(signInPage.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const form = await visitor.get(link)
    expect(form.html).toContain('<html lang="es">')
    const answer = await visitor.submit(form, { username: newName(), password: 'cuatro palabras muy largas' })
    expect((await visitor.get(answer.location ?? '')).html).toContain('name="decision"')
  })

  test('lang becomes the language of the new user, also in other browsers', async () => {
    const username = newName()
    const password = 'cuatro palabras muy largas'
    await visitor.post('/account/sign-up', { username, password, request: SPANISH_QUERY })
    expect(app.database.prepare('SELECT language FROM users WHERE username = ?').get(username)).toEqual({
      language: 'es_MX',
    })
    const elsewhere = openVisitor(app.url)
    await signIn(elsewhere, { username, password })
    expect((await elsewhere.get('/account/clients', { 'accept-language': 'de' })).html).toContain('<html lang="es">')
  })

  test('a sign-up signs in, and stores the password as argon2id', async () => {
    const username = newName()
    await visitor.post('/account/sign-up', { username, password: 'four rather long words' })
    expect(await isSignedIn(visitor)).toBe(true)
    const kept = app.database.prepare('SELECT password_hash FROM users WHERE username = ?').get(username)
    expect(kept?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('a sign-up with a taken name gets 409, in upper case too', async () => {
    const page = await visitor.post('/account/sign-up', { username: 'STUDIO', password: 'four rather long words' })
    expect([page.status, page.alert]).toEqual([409, en.usernameTaken])
    expect((await signIn(visitor)).status).toBe(303)
  })

  test.each([
    ['no name', { password: 'four rather long words' }],
    ['a name of 65 characters', { username: 'x'.repeat(65), password: 'four rather long words' }],
    ['a name with a space at the end', { username: 'ada ', password: 'four rather long words' }],
    ['a name with a line break', { username: 'a\nda', password: 'four rather long words' }],
    ['a name that cannot be seen', { username: 'a\u200bda', password: 'four rather long words' }],
    ['no password', { username: 'ada' }],
    ['a short password', { username: 'ada', password: 'short' }],
  ])('a sign-up with %s is refused with a message', async (_case, fields) => {
    const page = await visitor.post('/account/sign-up', fields as Record<string, string>)
    expect([page.status, page.alert]).toEqual([400, expect.stringMatching(/.{20,}/)])
  })

  test('a sign-up from a page of another site is refused', async () => {
    const fields = { username: newName(), password: 'four rather long words' }
    expect((await visitor.post('/account/sign-up', fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })
})

describe('A forgotten password', () => {
  async function newUser(): Promise<string> {
    const username = newName()
    await openVisitor(app.url).post('/account/sign-up', { username, password: 'the password before' })
    return username
  }

  test('a reset replaces the password, ends every other session and signs in', async () => {
    const username = await newUser()
    const elsewhere = openVisitor(app.url)
    await signIn(elsewhere, { username, password: 'the password before' })
    await visitor.submit(await visitor.get('/account/forgot'), { username, password: 'the password after' })
    expect([await isSignedIn(visitor), await isSignedIn(elsewhere)]).toEqual([true, false])
    expect((await signIn(elsewhere, { username, password: 'the password before' })).status).toBe(401)
    expect((await signIn(elsewhere, { username, password: 'the password after' })).status).toBe(303)
  })

  test.each([
    ['an unknown user', { username: 'nobody@example.com', password: 'four rather long words' }, en.unknownUser],
    ['a short password', { username: STUDIO.username, password: 'short' }, en.passwordFault],
  ])('a reset for %s is refused with a message', async (_case, fields, alert) => {
    const page = await visitor.post('/account/forgot', fields)
    expect([page.status, page.alert]).toEqual([400, alert])
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('a reset from a page of another site is refused', async () => {
    const fields = { username: await newUser(), password: 'the password after' }
    expect((await visitor.post('/account/forgot', fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })

  test('a reset continues with the client’s request', async () => {
    const fields = { username: await newUser(), password: 'cuatro palabras largas', request: SPANISH_QUERY }
    const answer = await visitor.post('/account/forgot', fields)
    expect((await visitor.get(answer.location ?? '')).html).toContain('name="decision"')
  })
})
