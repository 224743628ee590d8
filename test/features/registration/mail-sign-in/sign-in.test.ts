import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { ENTRY_POINT, entryPointAt } from '../../../login/entry-point.ts'
import { responseOf } from '../../../login/response-of.ts'
import { SETTINGS } from '../../../settings.ts'
import { hiddenIn, reasonIn, startRegistration, visitorOf, withRegistration } from '../start-registration.ts'

const ADDRESS = 'ada@example.com'
const LIST = { mode: 'list', guests: [], file: null }
const NEW = { address: ADDRESS, attributes: { company: 'Acme' }, consents: [], language: 'en' }

/** Starts an app with the registration and the sign-in by mail. */
async function start(given: object, pattern?: object) {
  const entryPoint = withRegistration(given, { ...ENTRY_POINT, parameters: [{ name: 'user', attribute: 'username' }] })
  const mailSignIn = { mode: 'list', guests: pattern === undefined ? [] : [pattern], file: null }
  const features = { ...entryPoint.features, 'mail-sign-in': mailSignIn }
  const started = await startRegistration(given, { entryPoints: [{ ...entryPoint, features }] })
  async function signIn() {
    const sent = await started.post('/mail-code', { mail: ADDRESS })
    return await started.post('/mail-code/check', { ...hiddenIn(sent), code: await started.codeIn(ADDRESS) })
  }
  return { ...started, signIn }
}

test('an approved guest signs in with a code by mail, and stays signed in', async () => {
  const { app, registrations, signIn } = await start({})
  await registrations.register(NEW)
  const done = await signIn()
  expect(responseOf(done.location).parameters).toEqual([['user', ADDRESS]])
  const cookie = done.setCookies[0]?.split(';', 1)[0] ?? ''
  expect((await app.get('/', { Cookie: cookie })).status).toBe(303)
  await registrations.cancel(ADDRESS)
  expect(reasonIn(await app.get('/', { Cookie: cookie }))).toBe('registration-cancelled')
})

test('a guest who waits for approval gets no code by mail sign-in', async () => {
  const { app, registrations, post, mailServer } = await start({ approval: 'by-hand' })
  await registrations.register(NEW)
  const { status } = await post('/mail-code', { mail: ADDRESS })
  expect(status).toBe(200)
  await expect.poll(() => app.lines.map(({ outcome }) => outcome)).toContain('mail-code-withheld')
  expect(mailServer.mails).toEqual([])
})

test('a refused guest does not come in through the list of the sign-in by mail', async () => {
  const { registrations, signIn } = await start({}, { domain: 'example.com' })
  await registrations.register(NEW)
  await registrations.refuse(ADDRESS)
  const answer = await signIn()
  expect([answer.status, answer.location, reasonIn(answer)]).toEqual([403, undefined, 'registration-refused'])
})

test('the sign-in by mail lets in who is on its list, and never registered', async () => {
  const { signIn } = await start({}, { address: ADDRESS })
  expect((await signIn()).status).toBe(303)
})

test('a session of the list of another entry point does not bring its groups to an approved guest', async () => {
  const hall = withRegistration({}, { ...ENTRY_POINT, features: { 'mail-sign-in': LIST } })
  const listed = { ...LIST, guests: [{ address: ADDRESS }] }
  const gala = entryPointAt('gala', { features: { 'mail-sign-in': listed } })
  const { app, registrations, mailServer, codeIn } = await startRegistration({}, { entryPoints: [hall, gala] })
  await registrations.register(NEW)
  const { post } = visitorOf(app, mailServer, gala.basePath)
  const sent = await post('/mail-code', { mail: ADDRESS })
  const done = await post('/mail-code/check', { ...hiddenIn(sent), code: await codeIn(ADDRESS) })
  expect(done.status).toBe(303)
  const cookie = done.setCookies[0]?.split(';', 1)[0] ?? ''
  expect((await app.get(gala.basePath, { Cookie: cookie })).status).toBe(303)
  expect(reasonIn(await app.get('/', { Cookie: cookie }))).toBe('mail-guest-removed')
})

test.each([
  ['anyone', 1],
  ['list', 0],
])('a registration beside MAIL_SIGN_IN=%s has %i warnings', (MAIL_SIGN_IN, count) => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'login@example.com', MAIL_SIGN_IN }
  const { warnings } = readConfig({ ...SETTINGS, ...mail, REGISTRATION: '{}' })
  expect(warnings.filter((text) => text.includes('The registration has no effect'))).toHaveLength(count)
  const alone = readConfig({ ...SETTINGS, ...mail, MAIL_GUESTS: MAIL_SIGN_IN === 'list' ? ADDRESS : '' })
  expect(alone.warnings.join()).not.toContain('registration')
})
