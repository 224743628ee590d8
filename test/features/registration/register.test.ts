import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENTRY_POINT, entryPointAt, PLAYER } from '../../login/entry-point.ts'
import { responseOf } from '../../login/response-of.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import {
  ANSWERS,
  FIELDS,
  hiddenIn,
  reasonIn,
  START_SECONDS,
  startRegistration,
  withRegistration,
} from './start-registration.ts'

const ADDRESS = 'ada@example.com'
const closesAt = new Date((START_SECONDS + 600) * 1000).toISOString().replace('.000', '')

test('a guest registers in the frame and gets to the player, with the answers in the hash', async () => {
  const parameters = ['username', 'company', 'terms'].map((attribute) => ({ name: attribute, attribute }))
  const entryPoint = { ...ENTRY_POINT, parameters, allowedGroups: ['guests'] }
  const given = { fields: FIELDS, group: 'guests' }
  const { app, prove, fillIn, registrations } = await startRegistration(given, {
    entryPoints: [withRegistration(given, entryPoint)],
  })
  expect((await app.get('/')).text).toContain('href="/register"')
  const first = await prove(' Ada@EXAMPLE.com ')
  expect(first.text).toContain('1/2')
  const last = await fillIn(first, ANSWERS)
  expect(last.status).toBe(303)
  expect(responseOf(last.location).parameters).toEqual([
    ['username', ADDRESS],
    ['company', 'Acme'],
    ['terms', '2026-11'],
  ])
  expect(await registrations.find(ADDRESS)).toMatchObject({
    state: 'approved',
    attributes: { company: 'Acme', seat: 'Hall', terms: '2026-11' },
    consents: [{ name: 'terms', version: '2026-11' }],
  })
  const cookie = last.setCookies[0]?.split(';', 1)[0] ?? ''
  const again = await app.get('/', { Cookie: cookie })
  expect(responseOf(again.location).parameters[1]).toEqual(['company', 'Acme'])
})

test('the screen after the address is the same, registered or not', async () => {
  const { ask, registrations } = await startRegistration()
  await registrations.register({ address: ADDRESS, attributes: {}, consents: [], language: 'en' })
  const screenOf = async (address: string) => {
    const { status, headers, text } = await ask(address)
    const secret = hiddenIn({ text }).secret ?? ''
    return { status, type: headers['content-type'], text: text.replaceAll(address, 'X').replaceAll(secret, 'S') }
  }
  expect(await screenOf(ADDRESS)).toEqual(await screenOf('new@example.com'))
})

test('a registered guest gets to the player with a code alone, and changes nothing', async () => {
  const { prove, registrations } = await startRegistration()
  await registrations.register({ address: ADDRESS, attributes: { company: 'Old' }, consents: [], language: 'en' })
  expect((await prove(ADDRESS)).status).toBe(303)
  expect(await registrations.find(ADDRESS)).toMatchObject({ attributes: { company: 'Old' } })
})

test.each([
  ['by hand', { approval: 'by-hand' }, 'registration-waiting-for-approval'],
  ['after the last place', { most: 1, waitingList: 'on' }, 'registration-on-waiting-list'],
])('a guest who registers %s sees the state, and gets no answer', async (_case, more, reason) => {
  const { prove, fillIn, registrations } = await startRegistration({ fields: FIELDS, ...more })
  await registrations.register({ address: 'first@example.com', attributes: {}, consents: [], language: 'en' })
  const last = await fillIn(await prove(ADDRESS), ANSWERS)
  expect([last.status, last.location, last.setCookies, reasonIn(last)]).toEqual([200, undefined, [], reason])
  // The same after another proof.
  expect(reasonIn(await prove(ADDRESS))).toBe(reason)
})

test('a form without fields needs only the code', async () => {
  const { prove } = await startRegistration({})
  expect((await prove(ADDRESS)).status).toBe(303)
})

test('no places: the form says so before anyone types, and no stranger gets a code', async () => {
  const { app, ask, prove, registrations, mailServer } = await startRegistration({ fields: FIELDS, most: 1 })
  await registrations.register({ address: ADDRESS, attributes: {}, consents: [], language: 'en' })
  expect((await app.get('/register')).text).toContain('All places are taken.')
  expect((await ask('late@example.com')).text).toContain('late@example.com')
  expect((await prove(ADDRESS)).status).toBe(303)
  expect(mailServer.mails.map(({ to }) => to)).toEqual([[ADDRESS]])
})

test('the last place goes while a guest fills in the form: the guest is told, and is not registered', async () => {
  const { prove, fillIn, registrations } = await startRegistration({ fields: FIELDS, most: 1 })
  const form = await prove(ADDRESS)
  const next = await fillIn(form, [ANSWERS[0]])
  await registrations.register({ address: 'first@example.com', attributes: {}, consents: [], language: 'en' })
  expect(reasonIn(await fillIn(next, [ANSWERS[1]]))).toBe('registration-full')
  expect(await registrations.find(ADDRESS)).toBeNull()
})

test('a slow form does not pass the deadline', async () => {
  const { app, prove, fillIn, registrations } = await startRegistration({ fields: FIELDS, closesAt })
  const next = await fillIn(await prove(ADDRESS), [ANSWERS[0]])
  app.clock.seconds += 600
  const last = await fillIn(next, [ANSWERS[1]])
  expect([reasonIn(last), last.location]).toEqual(['registration-closed', undefined])
  expect(await registrations.find(ADDRESS)).toBeNull()
  expect((await app.get('/register')).text).toContain('Registration closed:')
})

test('from deletesAt on, the form is closed, and says nothing to guests who were registered', async () => {
  const { app, ask, mailServer } = await startRegistration({ fields: FIELDS, deletesAt: closesAt })
  app.clock.seconds += 600
  const { text } = await app.get('/register')
  expect(text).toContain('Registration closed:')
  expect(text).not.toContain('Already registered?')
  await ask(ADDRESS)
  await expect.poll(() => app.lines.some(({ outcome }) => outcome === 'mail-code-withheld')).toBe(true)
  expect(mailServer.mails).toEqual([])
})

test('after the next start with a later deletesAt, guests register again', async () => {
  const guestsFile = join(temporaryFolder(), 'guests.db')
  const first = await startRegistration({ most: 1, deletesAt: closesAt }, { guestsFile })
  expect((await first.prove(ADDRESS)).status).toBe(303)
  const deletesAt = new Date((START_SECONDS + 9_000) * 1000).toISOString().replace('.000', '')
  const second = await startRegistration({ most: 1, deletesAt }, { guestsFile, nowSeconds: () => START_SECONDS + 600 })
  expect((await second.prove(ADDRESS)).status).toBe(303)
})

test('a field that is missing or wrong keeps the step, with what was typed', async () => {
  const { prove, fillIn } = await startRegistration()
  const again = await fillIn(await prove(ADDRESS), [{ field1: '<b>"x"</b>', field2: 'Elsewhere' }])
  expect(again.status).toBe(400)
  expect(again.text).toContain('value="&lt;b&gt;&#34;x&#34;&lt;/b&gt;"')
  expect(again.text).toContain('Choose one of the options.')
  expect((await fillIn(again, ANSWERS)).status).toBe(303)
})

test('a field says what browsers may fill in, and a consent has its text behind the label, by name', async () => {
  const consent = { name: 'terms', kind: 'consent', label: 'I agree', version: '1', url: 'https://terms.example/' }
  const { prove, fillIn } = await startRegistration({
    fields: [
      { name: 'company', kind: 'text', label: 'Company', autocomplete: 'organization' },
      { name: 'country', kind: 'choice', label: 'Country', options: ['Japan', 'Peru'], autocomplete: 'country-name' },
      { ...consent, document: { en: 'Privacy <policy>', de: 'Datenschutz' } },
      { ...consent, name: 'more' },
    ],
  })
  const first = await prove(ADDRESS)
  expect(first.text).toMatch(/<input id="field1"[^>]* autocomplete="organization"/)
  expect(first.text).toMatch(/<select id="field2"[^>]* autocomplete="country-name"/)
  const { text: last } = await fillIn(first, [{}])
  expect(last).toMatch(
    /I agree<\/span><\/label>\s*<a [^>]*href="https:\/\/terms.example\/"[^>]*>Privacy &lt;policy&gt;<\/a>/,
  )
  expect(last).toMatch(/I agree<\/span><\/label>\s*<a [^>]*>Read the terms<\/a>/)
})

test.each(['refuse', 'cancel', 'forget'] as const)('%s: the guest is refused at the next return', async (step) => {
  const { app, prove, registrations } = await startRegistration({})
  const cookie = (await prove(ADDRESS)).setCookies[0]?.split(';', 1)[0] ?? ''
  expect((await app.get('/', { Cookie: cookie })).status).toBe(303)
  await registrations[step](ADDRESS)
  const refused = await app.get('/', { Cookie: cookie })
  expect([refused.status, refused.location]).toEqual([403, undefined])
  expect(reasonIn(refused)).toMatch(/^registration-(refused|cancelled|unknown)$/)
})

test('a session does not count at another entry point', async () => {
  const entryPoints = [withRegistration({}), withRegistration({}, entryPointAt('gold'))]
  const { app, prove } = await startRegistration({}, { entryPoints })
  const cookie = (await prove(ADDRESS)).setCookies[0]?.split(';', 1)[0] ?? ''
  expect((await app.get('/e/gold', { Cookie: cookie })).text).toContain('href="/e/gold/register"')
})

test('a guest is not the viewer of the user store with the same name', async () => {
  const { app, prove } = await startRegistration({})
  app.users.add(ADDRESS, 'correct horse battery', { groups: ['staff'] })
  const done = await prove(ADDRESS)
  expect(done.status).toBe(303)
  const line = app.lines.find(({ outcome }) => outcome === 'signed-in')
  expect(line).toMatchObject({ issuer: 'registration', subject: `default/${ADDRESS}` })
})

test('mails tell the state in the language of the guest, with the page of the video only for who may watch', async () => {
  const given = { fields: [], approval: 'by-hand' }
  const entryPoint = withRegistration(given)
  const features = { ...entryPoint.features, 'watch-page': 'https://event.example/watch' }
  const { mailServer, post, ask, codeIn } = await startRegistration(given, {
    entryPoints: [{ ...entryPoint, features }],
  })
  const sent = await ask(ADDRESS)
  await post('/register/code', { ...hiddenIn(sent), lang: 'de', code: await codeIn(ADDRESS) })
  await expect.poll(() => mailServer.mails.length).toBe(2)
  const mail = mailServer.mails[1]
  expect(mail?.text).toContain('Sie muss noch freigegeben werden.')
  expect(mail?.text).not.toContain('https://event.example/watch')
  expect(mail?.to).toEqual([ADDRESS])
})

test('the log has outcomes, and no code, no answer and no sealed form', async () => {
  const { app, prove, fillIn } = await startRegistration()
  const form = await prove(ADDRESS)
  const code = hiddenIn(form).form ?? ''
  await fillIn(form, [{ field1: 'SECRETANSWER', field2: 'Hall' }, ANSWERS[1]])
  const outcomes = app.lines.flatMap(({ outcome }) => outcome ?? [])
  expect(outcomes).toEqual(expect.arrayContaining(['registration-code', 'registered', 'signed-in']))
  const log = JSON.stringify(app.lines)
  expect(log).not.toContain('SECRETANSWER')
  expect(log).not.toContain(code)
})

test(`the frame is led to the player of the entry point, ${PLAYER}, or back`, async () => {
  const { app } = await startRegistration()
  const { text, headers } = await app.get('/register?ustreamContentId=1&lang=de')
  expect(text).toContain('name="ustreamContentId" value="1"')
  expect(text).toContain('<html lang="de"')
  expect(headers['content-security-policy']).toContain(`form-action 'self' ${PLAYER}`)
  expect((await app.get('/register?hashConsumer=https://evil.example/')).status).toBe(400)
})

/** The text and the address of the main button, which is a link or leads back to the player. */
function mainButtonIn({ text }: { readonly text: string }) {
  const [, attributes, words] = /<(?:a|button) class="primary"([^>]*)>([^<]*)</.exec(text) ?? []
  return [words, /href="([^"]*)"/.exec(attributes ?? '')?.[1] ?? 'back']
}

const BACK = ['Back to the video', 'back']
const CHECK = ['Check again', '/']

test.each([
  ['waits for approval', { approval: 'by-hand' }, null, 'registration-waiting-for-approval', CHECK],
  ['is on the waiting list', { most: 1, waitingList: 'on' }, null, 'registration-on-waiting-list', CHECK],
  ['is refused', {}, 'refuse', 'registration-refused', BACK],
  ['is canceled', {}, 'cancel', 'registration-cancelled', BACK],
] as const)('the main button helps a guest who %s', async (_state, given, step, reason, expected) => {
  const { prove, registrations } = await startRegistration({ fields: [], ...given })
  await registrations.register({ address: 'first@example.com', attributes: {}, consents: [], language: 'en' })
  await registrations.register({ address: ADDRESS, attributes: {}, consents: [], language: 'en' })
  if (step !== null) await registrations[step](ADDRESS)
  const screen = await prove(ADDRESS)
  expect([reasonIn(screen), mainButtonIn(screen)]).toEqual([reason, expected])
  expect(screen.text).not.toMatch(/role="alert"|>Log in<|Try again/)
})

test.each([
  ['full', { most: 1 }, 0, CHECK],
  ['closed', { closesAt }, 600, BACK],
] as const)('the main button of a registration that is %s helps', async (openness, given, laterSeconds, expected) => {
  const { app, prove, fillIn, registrations } = await startRegistration({ fields: FIELDS, ...given })
  const next = await fillIn(await prove(ADDRESS), [ANSWERS[0]])
  await registrations.register({ address: 'first@example.com', attributes: {}, consents: [], language: 'en' })
  app.clock.seconds += laterSeconds
  const screen = await fillIn(next, [ANSWERS[1]])
  expect([reasonIn(screen), mainButtonIn(screen)]).toEqual([`registration-${openness}`, expected])
})

test.each([
  ['refuse', BACK],
  ['cancel', BACK],
  ['forget', ['Register', '/']],
] as const)('after %s, a guest who returns has a main button that helps', async (step, expected) => {
  const { app, prove, registrations } = await startRegistration({})
  const cookie = (await prove(ADDRESS)).setCookies[0]?.split(';', 1)[0] ?? ''
  await registrations[step](ADDRESS)
  expect(mainButtonIn(await app.get('/', { Cookie: cookie }))).toEqual(expected)
})
