import { expect, test } from 'vitest'
import { errorText } from '../../../src/languages/languages.ts'
import { CONSUMER, ENTRY_POINT } from '../entry-point.ts'
import { hiddenFieldsOf } from '../hidden-fields.ts'
import { alertOf, expectRefused } from '../refused-answer.ts'
import { responseOf } from '../response-of.ts'
import { signIn } from '../signed-in.ts'
import { ADA, type Answer, formOf, type LoginApp, startLoginApp } from '../start-login-app.ts'

const CHAT = `${CONSUMER}authorize/7?resource=%2Fchat%2F7&b=~%20+a`

function expectNowhere(app: LoginApp, answer: Answer): void {
  expectRefused(answer, 400)
  expect(alertOf(answer)).toBe(errorText('en', 'badConsumer'))
  expect(answer.headers['content-security-policy']).toContain("form-action 'self';")
  expect(answer.text).not.toContain('<form')
  expect(answer.text).not.toContain('href="http')
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', status: 400, entryPoint: 'default' })
}

// All addresses that are refused are in test/hash-lock/return-address.test.ts.
test.each(['', 'https://evil.example/customer/', `${CONSUMER}..%2fother/`, `${CONSUMER}?%68ash=x`])(
  'the hashConsumer %j is refused everywhere',
  async (hashConsumer) => {
    const app = await startLoginApp()
    const cookie = { Cookie: await signIn(app) }
    const query = `/?${formOf({ hashConsumer })}`
    expectNowhere(app, await app.get(query))
    expectNowhere(app, await app.get(query, { ...cookie, 'Sec-Fetch-Dest': 'iframe' }))
    expectNowhere(app, await app.post('/sign-in', { ...ADA, hashConsumer }))
    expectNowhere(app, await app.post('/sign-in', { ...ADA, password: 'wrong', hashConsumer }))
    expectNowhere(app, await app.post('/continue', { hashConsumer }, cookie))
    expectNowhere(app, await app.post('/cancel', { hashConsumer }))
    expectNowhere(app, await app.post('/sign-out', { hashConsumer }, cookie))
    expect(app.users.asked).toHaveLength(1)
  },
)

test.each([
  ['the same hashConsumer twice', CHAT, CHAT],
  ['a foreign hashConsumer after an allowed one', CHAT, 'https://evil.example/'],
  ['an allowed hashConsumer after a foreign one', 'https://evil.example/', CHAT],
])('a request with %s is refused', async (_case, first, second) => {
  const app = await startLoginApp()
  const twice = `${formOf({ hashConsumer: first })}&${formOf({ hashConsumer: second })}`
  expectNowhere(app, await app.get(`/?${twice}`))
  expectNowhere(app, await app.post('/sign-in', `${formOf(ADA)}&${twice}`))
  expectNowhere(app, await app.post('/continue', twice))
  expectNowhere(app, await app.post('/cancel', twice))
  expectNowhere(app, await app.post('/sign-out', twice))
})

test('every hashConsumer is refused if none is configured', async () => {
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, consumers: [] }] })
  expectNowhere(app, await app.get(`/?${formOf({ hashConsumer: CHAT })}`))
})

test('a form whose hidden hashConsumer was changed is refused', async () => {
  const app = await startLoginApp()
  expect((await app.get(`/?${formOf({ hashConsumer: CHAT })}`)).status).toBe(200)
  expectNowhere(app, await app.post('/sign-in', { ...ADA, hashConsumer: 'https://evil.example/' }))
})

test('an array or object named hashConsumer is ignored', async () => {
  const app = await startLoginApp()
  for (const name of ['hashConsumer[]', 'hashConsumer[a]']) {
    const { location } = await app.post('/sign-in', { ...ADA, [name]: 'https://evil.example/' })
    expect(responseOf(location).address).toBe(ENTRY_POINT.playerAddress.url)
  }
})

test.each([
  [`${CONSUMER}authorize/7?resource=%2Fchat%2F7`, `${CONSUMER}authorize/7?resource=%2Fchat%2F7&hash=`],
  [CONSUMER, `${CONSUMER}?hash=`],
  [`${CONSUMER}?`, `${CONSUMER}?hash=`],
  [`${CONSUMER}?a=b&`, `${CONSUMER}?a=b&hash=`],
  [`${CONSUMER}?q="<'>%3C&x=a+b%20c~`, `${CONSUMER}?q="<'>%3C&x=a+b%20c~&hash=`],
  ['HTTPS://CHAT.example:443/customer/a/./b/../c', `${CONSUMER}a/c?hash=`],
  [`${CONSUMER}a<b>"c`, `${CONSUMER}a%3Cb%3E%22c?hash=`],
])(
  'the allowed hashConsumer %j gets the response, and its query is kept byte for byte',
  async (hashConsumer, begin) => {
    const app = await startLoginApp()
    const passed = await app.post('/sign-in', { ...ADA, hashConsumer })
    expect(passed.location?.startsWith(begin)).toBe(true)
    expect(responseOf(passed.location).parameters).toEqual([['user', ADA.username]])
    expect((await app.post('/cancel', { hashConsumer })).location).toBe(`${begin}false`)
    expect(hiddenFieldsOf(await app.get(`/?${formOf({ hashConsumer })}`))[0]?.fields).toEqual({ hashConsumer })
  },
)

test('the screen for one hashConsumer is never sent for another', async () => {
  const app = await startLoginApp()
  for (const hashConsumer of [`${CONSUMER}1`, `${CONSUMER}2`, `${CONSUMER}1`]) {
    expect(hiddenFieldsOf(await app.get(`/?${formOf({ hashConsumer })}`))[0]?.fields).toEqual({ hashConsumer })
  }
  for (let id = 0; id < 200; id += 1) {
    const answer = await app.get(`/?${formOf({ ustreamContentId: String(id) })}`)
    expect(hiddenFieldsOf(answer)[0]?.fields).toEqual({ ustreamContentId: String(id) })
  }
})
