import { expect, test } from 'vitest'
import { createMails } from '../../../../src/features/registration/mails.ts'
import { withDoors } from '../../doors/entry-point.ts'
import { hiddenIn, START_SECONDS, startRegistration, withRegistration } from '../start-registration.ts'

const ADDRESS = 'ada@example.com'
const GIVEN = { fields: [], approval: 'by-hand' }
const OPENS = START_SECONDS + 86_400

const doors = { windows: [{ opensAtSeconds: OPENS, closesAtSeconds: null }], timeZone: 'Europe/Berlin' }
function galaWith(given: object) {
  const entryPoint = withDoors(withRegistration(given), doors)
  const features = { ...entryPoint.features, event: { en: 'Gala' }, 'watch-page': 'https://event.example/watch' }
  return { ...entryPoint, features }
}
const GALA = galaWith(GIVEN)
const OPENING = /The event opens on \w+, May 19, 2033 at [\d:]+\sAM GMT\+2\./

test('mails of a registration name the event, and its opening in the zone of the doors', async () => {
  const { mailServer, post, ask, codeIn } = await startRegistration(GIVEN, { entryPoints: [GALA] })
  const sent = await ask(ADDRESS)
  await post('/register/code', { ...hiddenIn(sent), code: await codeIn(ADDRESS) })
  await expect.poll(() => mailServer.mails.length).toBe(2)
  const [code, received] = mailServer.mails
  expect(code?.raw).toMatch(/^Subject: Gala: your code\r$/m)
  expect(code?.text).not.toMatch(/log in/i)
  expect(code?.text).toMatch(/Time: .* GMT\+2\r?$/m)
  expect(received?.text).toContain('We have your registration for Gala.')
  expect(received?.text).toMatch(OPENING)
})

test.each([
  ['approved', true, true],
  ['place-free', true, true],
  ['waiting-for-approval', false, true],
  ['on-waiting-list', false, true],
  ['refused', false, false],
  ['cancelled', false, false],
])('the mail "%s" says why it came; it has a button: %s, and a way to withdraw: %s', (name, hasButton, canWithdraw) => {
  const event = { opensAtSeconds: OPENS, closesAtSeconds: OPENS + 3_600, timeZone: 'Europe/Berlin' }
  const times = new Map([[GALA.name, () => event]])
  const mail = createMails(GALA, 'login.example', times)({ address: ADDRESS, name, language: 'en', atMs: 0 })
  const button = /class="button"[^>]*><a href="https:\/\/event\.example\/watch"/
  expect(button.test(mail?.html ?? '')).toBe(hasButton)
  expect(mail?.text.includes('To withdraw,')).toBe(canWithdraw)
  expect(OPENING.test(mail?.text ?? '')).toBe(canWithdraw)
  expect(mail?.calendar?.includes('SUMMARY:Gala\r\n') ?? false).toBe(hasButton)
  expect(mail?.text).toContain('You get this email because this address was registered for Gala.')
})

test('a guest who is registered gets the event as a calendar file', async () => {
  const open = { fields: [], approval: 'none' }
  const { mailServer, post, ask, codeIn } = await startRegistration(open, { entryPoints: [galaWith(open)] })
  const sent = await ask(ADDRESS)
  await post('/register/code', { ...hiddenIn(sent), code: await codeIn(ADDRESS) })
  await expect.poll(() => mailServer.mails.length).toBe(2)
  const { raw = '' } = mailServer.mails[1] ?? {}
  expect(raw).toMatch(/^Content-Type: text\/calendar; charset=utf-8; name=event\.ics\r$/m)
  const [, encoded = ''] = /name=event\.ics\r\n(?:[^\r]+\r\n)+\r\n([A-Za-z0-9+/=\r\n]+)/.exec(raw) ?? []
  const calendar = Buffer.from(encoded, 'base64').toString()
  expect(calendar).toContain('DTSTART:20330519T')
  expect(calendar).toContain('LOCATION:https://event.example/watch\r\n')
})
