import { expect, test } from 'vitest'
import { entryPointAt } from '../../login/entry-point.ts'
import { ANSWERS, FIELDS, hiddenIn, reasonIn, startRegistration, withRegistration } from './start-registration.ts'

const ADDRESS = 'ada@example.com'
const VICTIM = 'victim@example.com'

test('a code registers only the address that it was sent to', async () => {
  const { ask, codeIn, post, registrations } = await startRegistration({})
  const sent = await ask(ADDRESS)
  const code = await codeIn(ADDRESS)
  const answer = await post('/register/code', { ...hiddenIn(sent), address: VICTIM, code })
  expect([answer.status, answer.location]).toEqual([401, undefined])
  expect(await registrations.find(VICTIM)).toBeNull()
})

test('no form after the code has a field for the address', async () => {
  const { prove, fillIn, registrations } = await startRegistration()
  await fillIn(
    await prove(ADDRESS),
    ANSWERS.map((answers) => ({ ...answers, address: VICTIM, username: VICTIM })),
  )
  expect(await registrations.find(VICTIM)).toBeNull()
  expect(await registrations.find(ADDRESS)).not.toBeNull()
})

test('no attribute and no group comes from the body of a post', async () => {
  const { prove, fillIn, registrations } = await startRegistration()
  const more = {
    admin: 'yes',
    group: 'admins',
    groups: 'admins',
    state: 'approved',
    field9: 'x',
    accountEndsAt: '2099',
  }
  await fillIn(
    await prove(ADDRESS),
    ANSWERS.map((answers) => ({ ...answers, ...more })),
  )
  expect((await registrations.find(ADDRESS))?.attributes).toEqual({ company: 'Acme', seat: 'Hall', terms: '2026-11' })
})

test('no step can be skipped: the fields of a later step do not count in an earlier one', async () => {
  const { prove, fillIn, registrations } = await startRegistration()
  const next = await fillIn(await prove(ADDRESS), [{ ...ANSWERS[0], ...ANSWERS[1] }])
  expect(next.text).toContain('2/2')
  expect(await registrations.find(ADDRESS)).toBeNull()
})

test.each([
  ['altered', (form: string) => `${form.slice(0, 40)}${form[40] === 'A' ? 'B' : 'A'}${form.slice(41)}`],
  ['cut', (form: string) => form.slice(0, -4)],
  ['missing', () => ''],
  ['too long', (form: string) => form.padEnd(7_000, 'A')],
])('a sealed form that is %s leads back to the address', async (_case, change) => {
  const { prove, post, registrations } = await startRegistration()
  const hidden = hiddenIn(await prove(ADDRESS))
  const answer = await post('/register/fields', { ...hidden, ...ANSWERS[0], form: change(hidden.form ?? '') })
  expect([answer.status, answer.location]).toEqual([400, undefined])
  expect(hiddenIn(answer)).not.toHaveProperty('form')
  expect(await registrations.find(ADDRESS)).toBeNull()
})

test('a sealed form opens only with the secret of its frame, and only at its entry point', async () => {
  const entryPoints = [withRegistration({ fields: FIELDS }), withRegistration({ fields: FIELDS }, entryPointAt('gold'))]
  const { app, prove, post } = await startRegistration({}, { entryPoints })
  const hidden = hiddenIn(await prove(ADDRESS))
  const other = await post('/register/fields', { ...hidden, ...ANSWERS[0], secret: 'A'.repeat(43) })
  expect(other.status).toBe(400)
  const elsewhere = await app.post('/e/gold/register/fields', { ...hidden, ...ANSWERS[0] })
  expect(elsewhere.status).toBe(400)
  expect((await post('/register/fields', { ...hidden, ...ANSWERS[0] })).text).toContain('2/2')
})

test('a sealed form ends after half an hour', async () => {
  const { app, prove, fillIn } = await startRegistration()
  const form = await prove(ADDRESS)
  app.clock.seconds += 1_799
  const next = await fillIn(form, [ANSWERS[0]])
  expect(next.text).toContain('2/2')
  app.clock.seconds += 1
  expect((await fillIn(next, [ANSWERS[1]])).status).toBe(400)
})

test('a form from the history of the browser does not sign a guest in', async () => {
  const { app, prove, fillIn, post } = await startRegistration()
  const next = await fillIn(await prove(ADDRESS), [ANSWERS[0]])
  const hidden = hiddenIn(next)
  expect((await post('/register/fields', { ...hidden, ...ANSWERS[1] })).status).toBe(303)
  // A second press of the same button.
  expect((await post('/register/fields', { ...hidden, ...ANSWERS[1] })).status).toBe(303)
  app.clock.seconds += 10
  const later = await post('/register/fields', { ...hidden, ...ANSWERS[1] })
  expect([later.status, later.location, later.setCookies, reasonIn(later)]).toEqual([
    200,
    undefined,
    [],
    'registration-approved',
  ])
})

test('a code works once, and again for the same form within seconds', async () => {
  const { app, ask, codeIn, post } = await startRegistration()
  const hidden = hiddenIn(await ask(ADDRESS))
  const code = await codeIn(ADDRESS)
  expect((await post('/register/code', { ...hidden, code })).text).toContain('1/2')
  expect((await post('/register/code', { ...hidden, code })).text).toContain('1/2')
  app.clock.seconds += 10
  expect((await post('/register/code', { ...hidden, code })).status).toBe(401)
})

test('a post from another site is refused', async () => {
  const { app, prove, registrations } = await startRegistration()
  const hidden = hiddenIn(await prove(ADDRESS))
  const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
  for (const path of ['/register', '/register/code', '/register/fields']) {
    expect((await app.post(path, { ...hidden, ...ANSWERS[0] }, headers)).status).toBe(403)
  }
  expect(await registrations.find(ADDRESS)).toBeNull()
})

test.each([
  ['no address', 'ada'],
  ['two addresses', 'ada@example.com,bob@example.com'],
  ['a header', 'ada@example.com\r\nBcc: bob@example.com'],
  ['a name that the player cannot get', 'a|b@example.com'],
])('%s gets no code', async (_case, address) => {
  const { ask, mailServer } = await startRegistration()
  expect((await ask(address)).status).toBe(400)
  expect(mailServer.mails).toEqual([])
})

test('an answer of a field may not break the hash', async () => {
  const parameters = [{ name: 'company', attribute: 'company' }]
  const entryPoints = [withRegistration({ fields: FIELDS }, entryPointAt('gold', { parameters }))]
  const { prove, fillIn } = await startRegistration({}, { entryPoints })
  const answer = await fillIn(await prove(ADDRESS), [{ field1: 'Ac|me', field2: 'Hall' }])
  expect([answer.status, answer.location]).toEqual([400, undefined])
})
