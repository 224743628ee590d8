import { expect, test } from 'vitest'
import { errorText } from '../../../src/languages/languages.ts'
import { alertOf, expectRefused } from '../refused-answer.ts'
import { cookieIn } from '../signed-in.ts'
import { ADA, startLoginApp } from '../start-login-app.ts'

const OWN = 'https://login.example'
const EVIL = 'https://evil.example'

type SentHeaders = Record<string, string | string[]>

const OWN_PAGE: [string, SentHeaders][] = [
  ['our own page, in a current browser', { 'Sec-Fetch-Site': 'same-origin', Origin: OWN }],
  ['our own page, with only Sec-Fetch-Site', { 'Sec-Fetch-Site': 'same-origin' }],
  ['our own page, whose Origin a proxy changed', { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://internal:3000' }],
  ['a bookmark or the address bar', { 'Sec-Fetch-Site': 'none' }],
  ['our own page, in a browser without Sec-Fetch-Site', { Origin: OWN }],
  ['a client that is not a browser', {}],
]

const ELSEWHERE: [string, SentHeaders][] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: EVIL }],
  ['another site that sends no Origin', { 'Sec-Fetch-Site': 'cross-site' }],
  ['another site that sends our Origin', { 'Sec-Fetch-Site': 'cross-site', Origin: OWN }],
  ['another host of our site', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://www.login.example' }],
  ['another port of our host', { 'Sec-Fetch-Site': 'same-site', Origin: `${OWN}:8443` }],
  ['a frame that hides its origin', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ['a page without a referrer', { Origin: 'null' }],
  ['another site, in a browser without Sec-Fetch-Site', { Origin: EVIL }],
  ['our host without its scheme', { Origin: 'login.example' }],
  ['our host over http', { Origin: 'http://login.example' }],
  ['our host on another port', { Origin: `${OWN}:8443` }],
  ['our host with a dot', { Origin: `${OWN}.` }],
  ['a host that begins like ours', { Origin: `${OWN}.evil.example` }],
  ['a host that ends like ours', { Origin: 'https://evillogin.example' }],
  ['an Origin with a path', { Origin: `${OWN}/` }],
  ['an Origin in capitals', { Origin: 'HTTPS://LOGIN.EXAMPLE' }],
  ['an empty Origin', { Origin: '' }],
  ['two Origins', { Origin: [OWN, EVIL] }],
  ['two Origins, ours last', { Origin: [EVIL, OWN] }],
  ['two values of Sec-Fetch-Site', { 'Sec-Fetch-Site': ['same-origin', 'cross-site'] }],
  ['a value of Sec-Fetch-Site in capitals', { 'Sec-Fetch-Site': 'Same-Origin' }],
  ['an unknown value of Sec-Fetch-Site', { 'Sec-Fetch-Site': 'same-party' }],
  ['an empty Sec-Fetch-Site', { 'Sec-Fetch-Site': '' }],
  ['a Host that matches a foreign Origin', { Origin: EVIL, Host: 'evil.example' }],
  ['a forwarded host that matches a foreign Origin', { Origin: EVIL, 'X-Forwarded-Host': 'evil.example' }],
]

test.each(OWN_PAGE)('a post from %s is accepted', async (_case, headers) => {
  const app = await startLoginApp({ trustProxyHops: 1 })
  const passed = await app.post('/sign-in', ADA, headers)
  expect(passed.status).toBe(303)
  expect((await app.post('/cancel', '', headers)).status).toBe(303)
  const Cookie = cookieIn(passed)
  expect((await app.post('/continue', '', { ...headers, Cookie })).status).toBe(303)
  expect((await app.post('/sign-out', '', { ...headers, Cookie })).setCookies).toHaveLength(1)
})

test.each(ELSEWHERE)('a post from %s is refused and changes nothing', async (_case, headers) => {
  const app = await startLoginApp({ trustProxyHops: 1 })
  const Cookie = cookieIn(await app.post('/sign-in', ADA))
  const asked = app.users.asked.length
  for (const [path, form] of [
    ['/sign-in', ADA],
    ['/continue', {}],
    ['/cancel', {}],
    ['/sign-out', {}],
  ] as const) {
    const answer = await app.post(path, form, { ...headers, Cookie })
    expectRefused(answer, 403)
    expect(alertOf(answer)).toBe(errorText('en', 'notFromOwnPage'))
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-from-own-page', level: 40 })
  }
  expect(app.users.asked).toHaveLength(asked)
  expect((await app.get('/', { Cookie })).status).toBe(303)
})

test('a post from a frame without allow-same-origin is refused with a screen that the player can frame', async () => {
  const app = await startLoginApp()
  const answer = await app.post('/sign-in', { ...ADA, ustreamContentId: '7' }, { Origin: 'null' })
  expectRefused(answer, 403)
  expect(answer.headers['content-security-policy']).toContain('frame-ancestors https://player.example')
  expect(answer.text).toContain('name="ustreamContentId" value="7"')
  expect(answer.text).not.toContain(ADA.password)
  expect(app.lines.at(-1)?.reason).toBe('Sec-Fetch-Site absent, Origin null')
})

test('a foreign post with a wrong password is not counted, so that no page can lock a viewer out', async () => {
  const app = await startLoginApp()
  for (let round = 0; round < 20; round += 1) {
    await app.post('/sign-in', { ...ADA, password: 'x' }, { 'Sec-Fetch-Site': 'cross-site' })
  }
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})

test('a page of another site may open the screen, because players do', async () => {
  const app = await startLoginApp()
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'iframe', Referer: 'https://player.example/' }
  expect((await app.get('/', headers)).status).toBe(200)
})
