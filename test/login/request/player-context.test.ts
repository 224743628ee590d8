import { describe, expect, test } from 'vitest'
import { errorText } from '../../../src/login/screens/languages.ts'
import { alertOf, expectRefused } from '../refused-answer.ts'
import { responseOf } from '../response-of.ts'
import { ADA, type Answer, CONSUMER, ENTRY_POINT, formOf, type LoginApp, startLoginApp } from '../start-login-app.ts'

const CHAT = `${CONSUMER}authorize/7?resource=%2Fchat%2F7&b=~%20+a`
const CONTENT = { ustreamContentType: 'channel', ustreamContentId: '12345' }
const ALL = { hashConsumer: CHAT, ...CONTENT }

/** What the hidden fields of each form of a screen hold, unescaped. */
function hiddenFieldsOf({ text }: Answer): { action: string; fields: Record<string, string> }[] {
  return [...text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    return { action, fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)])) }
  })
}

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|#34|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}
const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'" }

const COOKIE = /^[^;]+/
async function signedInCookie(app: LoginApp): Promise<string> {
  const { setCookies } = await app.post('/sign-in', ADA)
  return COOKIE.exec(setCookies[0] ?? '')?.[0] ?? ''
}

describe('what the caller gave', () => {
  test('is in every form of the screen', async () => {
    const app = await startLoginApp()
    const answer = await app.get(`/?${formOf(ALL)}`)
    expect(answer.status).toBe(200)
    expect(hiddenFieldsOf(answer)).toEqual([
      { action: '/sign-in', fields: ALL },
      { action: '/cancel', fields: ALL },
    ])
  })

  test.each([
    ['a wrong password', { ...ADA, password: 'wrong' }, 401],
    ['an empty form', { username: '', password: '' }, 400],
    ['characters that cannot be typed', { username: 'a\0', password: 'x' }, 400],
  ])('is still in every form after %s, and the answer then still goes there', async (_case, form, status) => {
    const app = await startLoginApp()
    for (let round = 0; round < 3; round += 1) {
      const refused = await app.post('/sign-in', { ...form, ...ALL })
      expectRefused(refused, status)
      expect(hiddenFieldsOf(refused).map(({ fields }) => fields)).toEqual([ALL, ALL])
    }
    const passed = await app.post('/sign-in', { ...ADA, ...ALL })
    expect(responseOf(passed.location).address).toBe(CHAT)
  })

  test('is lost by neither of the repeated fields that are refused', async () => {
    const app = await startLoginApp()
    const refused = await app.post('/sign-in', `${formOf(ALL)}&username=a&username=b&password=x`)
    expectRefused(refused, 400)
    expect(hiddenFieldsOf(refused).map(({ fields }) => fields)).toEqual([ALL, ALL])
  })

  test('goes along when the service is down, and when somebody has to wait', async () => {
    const app = await startLoginApp()
    app.users.fail(new Error('down'))
    const down = await app.post('/sign-in', { ...ADA, ...ALL })
    expect(hiddenFieldsOf(down).map(({ fields }) => fields)).toEqual([ALL, ALL])
    app.users.fail(null)
    const tries = Array.from({ length: 8 }, () => app.post('/sign-in', { ...ADA, password: 'no', ...ALL }))
    const waiting = (await Promise.all(tries)).find(({ status }) => status === 429)
    expect(waiting && hiddenFieldsOf(waiting).map(({ fields }) => fields)).toEqual([ALL, ALL])
  })

  test('goes along from the screen of one who is not entitled: back with false, and on as somebody else', async () => {
    const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, allowedGroups: ['gold'] }] })
    const refused = await app.post('/sign-in', { ...ADA, ...ALL })
    expectRefused(refused, 403)
    expect(hiddenFieldsOf(refused)).toEqual([{ action: '/cancel', fields: ALL }])
    const link = unescaped(/<a class="quiet" href="([^"]*)"/.exec(refused.text)?.[1] ?? '')
    expect(Object.fromEntries(new URLSearchParams(link.split('?')[1]))).toEqual({ ...ALL, prompt: 'login' })
    expect((await app.post('/cancel', ALL)).location).toBe(`${CHAT}&hash=false`)
  })

  test('goes along through signing out', async () => {
    const app = await startLoginApp()
    const signedOut = await app.post('/sign-out', ALL, { Cookie: await signedInCookie(app) })
    expect(signedOut.status).toBe(303)
    expect(signedOut.location?.startsWith('/?')).toBe(true)
    expect(hiddenFieldsOf(await app.get(signedOut.location ?? ''))[0]?.fields).toEqual(ALL)
  })

  test('is nothing for a player that gives nothing: no field, and the player’s own address', async () => {
    const app = await startLoginApp()
    expect(hiddenFieldsOf(await app.get('/')).map(({ fields }) => fields)).toEqual([{}, {}])
    expect((await app.post('/cancel', '')).location).toBe(
      'https://player.example/embed/hashlock/pass?keep=a%20b&hash=false',
    )
  })

  test.each([
    ['neither body nor type', {}],
    ['the type of a form and no body', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ])('is nothing for a cancel with %s', async (_case, headers) => {
    const app = await startLoginApp()
    expect(await app.post('/cancel', undefined, headers)).toMatchObject({
      status: 303,
      location: 'https://player.example/embed/hashlock/pass?keep=a%20b&hash=false',
    })
  })

  test('is not read from a cancel of another type than a form', async () => {
    const app = await startLoginApp()
    const answer = await app.post('/cancel', JSON.stringify(ALL), { 'Content-Type': 'application/json' })
    expect(answer).toMatchObject({ status: 415, location: undefined })
  })

  test('is of no concern where it is something else: other parameters change nothing and go nowhere', async () => {
    const app = await startLoginApp()
    const answer = await app.get('/?utm_source=x&__proto__=y&constructor=z&hashconsumer=https://evil.example/')
    expect(answer.status).toBe(200)
    expect(answer.text).toBe((await app.get('/')).text)
  })
})

const TRICKS = [
  '',
  'https://evil.example/customer/',
  'https://player.example/embed/hashlock/pass',
  'http://chat.example/customer/',
  'https://chat.example:8443/customer/',
  'https://chat.example@evil.example/customer/',
  'https://chat.example:x@evil.example/customer/',
  'https://user@chat.example/customer/',
  'https://user:pw@chat.example/customer/',
  'https://@chat.example/customer/',
  'https://chat.example.evil.example/customer/',
  'https://chat.example%2eevil.example/customer/',
  'https://chat.example%40evil.example/customer/',
  'https://chat.example;evil.example/customer/',
  'https://chat.example,evil.example/customer/',
  'https://chat.example./customer/',
  'https:\\\\chat.example\\customer\\',
  'https://chat.example\\@evil.example/customer/',
  'https://evil.example\\chat.example/customer/',
  'https:/chat.example/customer/',
  'https:chat.example/customer/',
  'https:///chat.example/customer/',
  'https://chat.example\t/customer/',
  'ht\ntps://chat.example/customer/',
  ' https://chat.example/customer/',
  'https://chat.example/customer/ ',
  'https://chat.example/customer/\r\nSet-Cookie: a=b',
  'https://\uff43hat.example/customer/',
  'https://\u24d2hat.example/customer/',
  'https://chat\u3002example/customer/',
  'https://ch\u0430t.example/customer/',
  'blob:https://chat.example/customer/x',
  'filesystem:https://chat.example/customer/x',
  'javascript:alert(1)//https://chat.example/customer/',
  'data:text/html,https://chat.example/customer/',
  '//chat.example/customer/',
  '/customer/',
  'chat.example/customer/',
  'https://chat.example/',
  'https://chat.example/customer',
  'https://chat.example/customers/',
  'https://chat.example/Customer/',
  'https://chat.example/other-customer/',
  'https://chat.example/customer/../other/',
  'https://chat.example/customer/%2e%2e/other/',
  'https://chat.example/customer/.%2E/other/',
  'https://chat.example/customer/..%2fother/',
  'https://chat.example/customer/..%5cother/',
  'https://chat.example/customer/%252e%252e/other/',
  'https://chat.example/customer/a%00b',
  'https://chat.example/customer/#x',
  'https://chat.example/customer/?a=b#hash=x',
  'https://chat.example/customer/?hash=x',
  'https://chat.example/customer/?a=b&hash=x',
  'https://chat.example/customer/?%68ash=x',
  'https://chat.example/customer/?hash',
  'https://chat.example/customer/?hash[]=x',
  'https://chat.example/customer/?a;hash=x',
  `https://chat.example/customer/${'x'.repeat(2048)}`,
]

function expectNowhere(app: LoginApp, answer: Answer): void {
  expectRefused(answer, 400)
  expect(alertOf(answer)).toBe(errorText('en', 'badConsumer'))
  expect(answer.headers['content-security-policy']).toContain("form-action 'self';")
  expect(answer.text).not.toContain('<form')
  expect(answer.text).not.toContain('href="http')
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', status: 400, entryPoint: 'default' })
}

describe('a hashConsumer that is not allowed is never redirected to', () => {
  test.each(TRICKS)('%j', async (hashConsumer) => {
    const app = await startLoginApp()
    const cookie = { Cookie: await signedInCookie(app) }
    const query = `/?${formOf({ hashConsumer })}`
    expectNowhere(app, await app.get(query))
    expectNowhere(app, await app.get(query, { ...cookie, 'Sec-Fetch-Dest': 'iframe' }))
    expectNowhere(app, await app.post('/sign-in', { ...ADA, hashConsumer }))
    expectNowhere(app, await app.post('/sign-in', { ...ADA, password: 'wrong', hashConsumer }))
    expectNowhere(app, await app.post('/cancel', { hashConsumer }))
    expectNowhere(app, await app.post('/sign-out', { hashConsumer }, cookie))
    expect(app.users.asked).toHaveLength(1)
  })

  test.each([
    ['one that is allowed, twice', CHAT, CHAT],
    ['one that is not behind one that is', CHAT, 'https://evil.example/'],
    ['one that is behind one that is not', 'https://evil.example/', CHAT],
  ])('%s', async (_case, first, second) => {
    const app = await startLoginApp()
    const twice = `${formOf({ hashConsumer: first })}&${formOf({ hashConsumer: second })}`
    expectNowhere(app, await app.get(`/?${twice}`))
    expectNowhere(app, await app.post('/sign-in', `${formOf(ADA)}&${twice}`))
    expectNowhere(app, await app.post('/cancel', twice))
    expectNowhere(app, await app.post('/sign-out', twice))
  })

  test('not even where no consumer is allowed at all', async () => {
    const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, consumers: [] }] })
    expectNowhere(app, await app.get(`/?${formOf({ hashConsumer: CHAT })}`))
  })

  test('and a form whose hidden field was changed after the screen was shown is refused as well', async () => {
    const app = await startLoginApp()
    expect((await app.get(`/?${formOf({ hashConsumer: CHAT })}`)).status).toBe(200)
    expectNowhere(app, await app.post('/sign-in', { ...ADA, hashConsumer: 'https://evil.example/' }))
  })

  test('an array or object in its place is another parameter, and the response goes to the player', async () => {
    const app = await startLoginApp()
    for (const name of ['hashConsumer[]', 'hashConsumer[a]']) {
      const { location } = await app.post('/sign-in', { ...ADA, [name]: 'https://evil.example/' })
      expect(responseOf(location).address).toBe(ENTRY_POINT.playerAddress.url)
    }
  })
})

describe('a hashConsumer that is allowed', () => {
  test.each([
    [`${CONSUMER}authorize/7?resource=%2Fchat%2F7`, `${CONSUMER}authorize/7?resource=%2Fchat%2F7&hash=`],
    [CONSUMER, `${CONSUMER}?hash=`],
    [`${CONSUMER}?`, `${CONSUMER}?hash=`],
    [`${CONSUMER}?a=b&`, `${CONSUMER}?a=b&hash=`],
    [`${CONSUMER}?q="<'>%3C&x=a+b%20c~`, `${CONSUMER}?q="<'>%3C&x=a+b%20c~&hash=`],
    ['HTTPS://CHAT.example:443/customer/a/./b/../c', `${CONSUMER}a/c?hash=`],
    [`${CONSUMER}a<b>"c`, `${CONSUMER}a%3Cb%3E%22c?hash=`],
  ])('%j gets the response with its query kept byte for byte', async (hashConsumer, begin) => {
    const app = await startLoginApp()
    const passed = await app.post('/sign-in', { ...ADA, hashConsumer })
    expect(passed.location?.startsWith(begin)).toBe(true)
    expect(responseOf(passed.location).parameters).toEqual([['user', ADA.username]])
    expect((await app.post('/cancel', { hashConsumer })).location).toBe(`${begin}false`)
    expect(hiddenFieldsOf(await app.get(`/?${formOf({ hashConsumer })}`))[0]?.fields).toEqual({ hashConsumer })
  })

  test('never meets the cache of a screen for another one', async () => {
    const app = await startLoginApp()
    for (const hashConsumer of [`${CONSUMER}1`, `${CONSUMER}2`, `${CONSUMER}1`]) {
      expect(hiddenFieldsOf(await app.get(`/?${formOf({ hashConsumer })}`))[0]?.fields).toEqual({ hashConsumer })
    }
    for (let id = 0; id < 200; id += 1) {
      const answer = await app.get(`/?${formOf({ ustreamContentId: String(id) })}`)
      expect(hiddenFieldsOf(answer)[0]?.fields).toEqual({ ustreamContentId: String(id) })
    }
  })
})

describe('the content that the player names', () => {
  test.each([
    ['of 65 characters', 'x'.repeat(65)],
    ['with a space', 'a b'],
    ['with a letter outside ASCII', 'ä'],
    ['with a newline', 'a\nb'],
    ['with bytes that are not UTF-8', '\ufffd'],
    ['empty', ''],
  ])('%s is refused with a screen', async (_case, value) => {
    const app = await startLoginApp()
    for (const name of ['ustreamContentType', 'ustreamContentId']) {
      const fields = { [name]: value }
      for (const answer of [
        await app.get(`/?${formOf(fields)}`),
        await app.post('/sign-in', { ...ADA, ...fields }),
        await app.post('/cancel', fields),
        await app.post('/sign-out', fields),
      ]) {
        expectRefused(answer, 400)
      }
      expect(app.lines.at(-1)?.reason).toContain(name)
    }
  })

  test('is refused when it is named twice', async () => {
    const app = await startLoginApp()
    expectRefused(await app.get('/?ustreamContentId=1&ustreamContentId=1'), 400)
    expectRefused(await app.post('/sign-in', `${formOf(ADA)}&ustreamContentId=1&ustreamContentId=2`), 400)
  })

  test('is escaped where it holds quotes and tags', async () => {
    const app = await startLoginApp()
    const ustreamContentId = `"><script>alert('1')</script>&amp;`
    const answer = await app.get(`/?${formOf({ ustreamContentId })}`)
    expect(answer.text).not.toContain('<script')
    expect(hiddenFieldsOf(answer)[0]?.fields).toEqual({ ustreamContentId })
  })
})
