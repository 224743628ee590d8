import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../login/start-login-app.ts'
import { cookiesOf, fieldOf, refreshOf, type SsoApp, startHeaders, startSso, visitProvider } from './start-sso.ts'

const reasonOf = ({ text }: { text: string }) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]
const type = (app: SsoApp, code: string, basePath = '') =>
  app.post(`${basePath}/sso/code`, { code }, { 'Sec-Fetch-Site': 'same-origin' })

/** Signs in on another device, and returns the page with the code. */
async function issueCode(app: SsoApp, basePath = '') {
  const page = await app.get(`${basePath}/sso`)
  expect([page.status, fieldOf(page, 'flow')]).toEqual([200, ''])
  const started = await app.post(`${basePath}/sso/start`, { flow: '' }, startHeaders(app))
  const done = await app.get(await visitProvider(refreshOf(started)), { Cookie: cookiesOf(started) })
  const [, code = ''] = /<strong>([A-Z2-9]{4} [A-Z2-9]{4})<\/strong>/.exec(done.text) ?? []
  return { page, done, code }
}

test('a viewer signs in on another device, and the code opens the player, once', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { done, code } = await issueCode(app)
  expect([done.status, code.length]).toEqual([200, 9])
  const answer = await type(app, code.toLowerCase())
  expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('ada%40example.com')])
  expect(answer.setCookies).toHaveLength(1)
  const again = await type(app, code)
  expect([again.status, reasonOf(again)]).toEqual([401, 'sso-wrong-code'])
  expect(JSON.stringify(app.lines)).not.toContain(code.replace(' ', ''))
})

test('the page on the other device sends its origin, and no page may frame it', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { page, done } = await issueCode(app)
  expect(page.headers['referrer-policy']).toBe('same-origin')
  for (const { headers } of [page, done]) {
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).not.toContain('script-src')
  }
})

test('a code works only at its entry point', async () => {
  const app = await startSso({
    entryPointsWith: (sso) =>
      ['one', 'two'].map((name) => ({ ...ENTRY_POINT, name, basePath: `/e/${name}`, sso: { ...sso, hasCode: true } })),
  })
  const { code } = await issueCode(app, '/e/one')
  expect((await type(app, code, '/e/two')).status).toBe(401)
})

test('a network has 100 wrong tries in ten minutes, and a right one does not count', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  expect((await type(app, (await issueCode(app)).code)).status).toBe(303)
  const statuses: number[] = []
  for (let tries = 0; tries < 101; tries += 1) statuses.push((await type(app, 'AAAAAAAA')).status)
  expect([new Set(statuses.slice(0, 100)), statuses[100]]).toEqual([new Set([401]), 429])
})

test('a code from another page is refused', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { code } = await issueCode(app)
  expect((await app.post('/sso/code', { code }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  expect((await type(app, code)).status).toBe(303)
})

test('without SSO_CODE there is neither a page nor a code', async () => {
  const app = await startSso()
  expect((await app.get('/sso')).status).toBe(404)
  expect((await type(app, 'AAAAAAAA')).status).toBe(404)
  expect((await app.post('/sso/start', { flow: '' }, startHeaders(app))).status).toBe(400)
  expect((await app.get('/?prompt=code')).text).not.toContain('name="code"')
})
