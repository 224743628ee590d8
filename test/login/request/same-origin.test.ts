import { describe, expect, test } from 'vitest'
import { errorText } from '../../../src/login/screens/languages.ts'
import { alertOf, expectRefused } from '../refused-answer.ts'
import { cookieIn } from '../signed-in.ts'
import { ADA, startLoginApp } from '../start-login-app.ts'

const OWN = 'https://login.example'
const EVIL = 'https://evil.example'

type SentHeaders = Record<string, string | string[]>

const OWN_PAGE: [string, SentHeaders][] = [
  ['our own page, in a browser of today', { 'Sec-Fetch-Site': 'same-origin', Origin: OWN }],
  ['our own page, told by Sec-Fetch-Site alone', { 'Sec-Fetch-Site': 'same-origin' }],
  ['our own page, whose Origin a proxy changed', { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://internal:3000' }],
  ['what the viewer opened', { 'Sec-Fetch-Site': 'none' }],
  ['our own page, in a browser without Sec-Fetch-Site', { Origin: OWN }],
  ['outside a browser', {}],
]

const ELSEWHERE: [string, SentHeaders][] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: EVIL }],
  ['another site that claims nothing else', { 'Sec-Fetch-Site': 'cross-site' }],
  ['another site whose Origin says it is ours', { 'Sec-Fetch-Site': 'cross-site', Origin: OWN }],
  ['another host of our site', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://www.login.example' }],
  ['another port of our host', { 'Sec-Fetch-Site': 'same-site', Origin: `${OWN}:8443` }],
  ['a frame that hides its origin', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ['a page that sends no referrer', { Origin: 'null' }],
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
  ['a value of Sec-Fetch-Site that nobody knows', { 'Sec-Fetch-Site': 'same-party' }],
  ['an empty Sec-Fetch-Site', { 'Sec-Fetch-Site': '' }],
  ['a Host that matches a foreign Origin', { Origin: EVIL, Host: 'evil.example' }],
  ['a forwarded host that matches a foreign Origin', { Origin: EVIL, 'X-Forwarded-Host': 'evil.example' }],
]

describe('a post is followed when it comes from', () => {
  test.each(OWN_PAGE)('%s', async (_case, headers) => {
    const app = await startLoginApp({ trustProxyHops: 1 })
    const passed = await app.post('/sign-in', ADA, headers)
    expect(passed.status).toBe(303)
    expect((await app.post('/cancel', '', headers)).status).toBe(303)
    const Cookie = cookieIn(passed)
    expect((await app.post('/sign-out', '', { ...headers, Cookie })).setCookies).toHaveLength(1)
  })
})

describe('a post changes nothing when it comes from', () => {
  test.each(ELSEWHERE)('%s', async (_case, headers) => {
    const app = await startLoginApp({ trustProxyHops: 1 })
    const Cookie = cookieIn(await app.post('/sign-in', ADA))
    const asked = app.users.asked.length
    for (const [path, form] of [
      ['/sign-in', ADA],
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

  test('a frame sandboxed without allow-same-origin, and the player that framed it can show why', async () => {
    const app = await startLoginApp()
    const answer = await app.post('/sign-in', { ...ADA, ustreamContentId: '7' }, { Origin: 'null' })
    expectRefused(answer, 403)
    expect(answer.headers['content-security-policy']).toContain('frame-ancestors https://player.example')
    expect(answer.text).toContain('name="ustreamContentId" value="7"')
    expect(answer.text).not.toContain(ADA.password)
    expect(app.lines.at(-1)?.reason).toBe('Sec-Fetch-Site absent, Origin null')
  })

  test('elsewhere, and a wrong password is not counted then: nobody can make a browser lock its viewer out', async () => {
    const app = await startLoginApp()
    for (let round = 0; round < 20; round += 1) {
      await app.post('/sign-in', { ...ADA, password: 'x' }, { 'Sec-Fetch-Site': 'cross-site' })
    }
    expect((await app.post('/sign-in', ADA)).status).toBe(303)
  })
})

test('who looks need not come from our own page: the screen is opened by players', async () => {
  const app = await startLoginApp()
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'iframe', Referer: 'https://player.example/' }
  expect((await app.get('/', headers)).status).toBe(200)
})
