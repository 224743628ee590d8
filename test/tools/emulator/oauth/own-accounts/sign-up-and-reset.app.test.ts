import { beforeEach, describe, expect, test } from 'vitest'
import en from '../../../../../src/tools/emulator/oauth/texts/en.json' with { type: 'json' }
import es from '../../../../../src/tools/emulator/oauth/texts/es.json' with { type: 'json' }
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
    ['a common password', { username: 'ada', password: 'iloveyou1' }],
    ['the name as the password', { username: 'ada.lovelace', password: 'ada.lovelace' }],
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
  async function linkFor(username: string): Promise<string> {
    await visitor.post('/account/forgot', { username })
    const outbox = await visitor.get('/account/outbox')
    const link = /href="(http[^"]+\/account\/reset\?[^"]+)"/.exec(outbox.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    return link.replace(app.url, '')
  }

  async function newUser(): Promise<string> {
    const username = newName()
    await openVisitor(app.url).post('/account/sign-up', { username, password: 'the password before' })
    return username
  }

  test('a reset for an unknown user gets the same page as for a known user', async () => {
    const known = await visitor.post('/account/forgot', { username: STUDIO.username })
    const unknown = await visitor.post('/account/forgot', { username: newName() })
    expect([unknown.status, unknown.html]).toEqual([known.status, known.html])
  })

  test('the outbox shows the reset mail, and the database stores only a digest of its link', async () => {
    const username = await newUser()
    const link = await linkFor(username)
    const token = new URL(link, app.url).searchParams.get('token') ?? ''
    expect(token).toMatch(/^[0-9a-f]{40}$/)
    expect(JSON.stringify(app.database.prepare('SELECT * FROM oauth_password_resets').all())).not.toContain(token)
    expect((await visitor.get('/account/outbox')).html).toContain(`<bdi>${username}</bdi>`)
  })

  test('a reset replaces the password and ends every session', async () => {
    const username = await newUser()
    const elsewhere = openVisitor(app.url)
    await signIn(elsewhere, { username, password: 'the password before' })
    const page = await visitor.submit(await visitor.get(await linkFor(username)), { password: 'the password after' })
    expect(page.html).toContain(`<h1>${en.passwordSavedHeading}</h1>`)
    expect(await isSignedIn(elsewhere)).toBe(false)
    expect((await signIn(elsewhere, { username, password: 'the password before' })).status).toBe(401)
    expect((await signIn(elsewhere, { username, password: 'the password after' })).status).toBe(303)
  })

  test('a link works once, and then all other links of the user are invalid too', async () => {
    const username = await newUser()
    const first = await linkFor(username)
    const second = await linkFor(username)
    const page = await visitor.get(first)
    await visitor.submit(page, { password: 'the password after' })
    expect((await visitor.submit(page, { password: 'the password of a thief' })).status).toBe(410)
    expect((await visitor.get(first)).status).toBe(410)
    expect((await visitor.get(second)).status).toBe(410)
  })

  test('of two parallel posts with one link, one succeeds', async () => {
    const page = await visitor.get(await linkFor(await newUser()))
    const answers = await Promise.all(
      ['one of them', 'the other of them'].map((password) => visitor.submit(page, { password })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410])
  })

  test('a link expires after fifteen minutes', async () => {
    const link = await linkFor(await newUser())
    app.setClock(app.nowSeconds() + 899)
    expect((await visitor.get(link)).status).toBe(200)
    app.setClock(app.nowSeconds() + 1)
    expect((await visitor.get(link)).status).toBe(410)
  })

  test.each(['', '?token=', `?token=${'0'.repeat(40)}`, '?token=a&token=b'])(
    'the link %j is invalid',
    async (query) => {
      expect((await visitor.get(`/account/reset${query}`)).status).toBe(410)
    },
  )

  test('a refused password leaves the link valid', async () => {
    const page = await visitor.get(await linkFor(await newUser()))
    const refused = await visitor.submit(page, { password: 'short' })
    expect([refused.status, refused.alert]).toEqual([400, en.passwordFaults.tooShort])
    expect((await visitor.submit(refused, { password: 'the password after' })).status).toBe(200)
  })

  test('a reset continues with the client’s request', async () => {
    await visitor.post('/account/forgot', { username: await newUser(), request: SPANISH_QUERY })
    const outbox = await visitor.get('/account/outbox')
    const link = /href="(http[^"]+\/account\/reset\?[^"]+)"/.exec(outbox.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const saved = await visitor.submit(await visitor.get(link.replace(app.url, '')), {
      password: 'cuatro palabras largas',
    })
    const next = /href="(\/account\/sign-in\?[^"]+)"/.exec(saved.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await visitor.get(next)).html).toContain(es.goOnTo.replace('{client}', 'Client of 1'))
  })
})
