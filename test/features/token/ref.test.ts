import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAllowedAddress } from '../../../src/hash-lock/return-address.ts'
import { errorText, type TextKey } from '../../../src/languages/languages.ts'
import { tokenEntryPoint } from '../../features/token/entry-point.ts'
import { CONSUMER } from '../../login/entry-point.ts'
import { alertOf, expectRefused } from '../../login/refused-answer.ts'
import { signIn } from '../../login/signed-in.ts'
import { ADA, type Answer, formOf, type LoginApp } from '../../login/start-login-app.ts'
import { startTokenApp, tokenIn } from './start-token-app.ts'

const REF = `${CONSUMER}1234?a=~%20+b`
const startApp = () =>
  startTokenApp({ entryPoints: [tokenEntryPoint({ refAddresses: [parseAllowedAddress(CONSUMER)] })] })

function expectNowhere(app: LoginApp, answer: Answer, text: TextKey = 'badConsumer'): void {
  expectRefused(answer, 400)
  expect(alertOf(answer)).toBe(errorText('en', text))
  expect(answer.headers['content-security-policy']).toContain("form-action 'self';")
  expect(answer.text).not.toContain('<form')
  expect(answer.text).not.toContain('href="http')
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', status: 400 })
}

async function expectRefusedEverywhere(ref: string, text: TextKey): Promise<void> {
  const app = await startApp()
  const cookie = { Cookie: await signIn(app, { ...ADA, ref: REF }) }
  const query = `/?${formOf({ ref })}`
  expectNowhere(app, await app.get(query), text)
  expectNowhere(app, await app.get(query, { ...cookie, 'Sec-Fetch-Dest': 'iframe' }), text)
  expectNowhere(app, await app.post('/sign-in', { ...ADA, ref }), text)
  expectNowhere(app, await app.post('/continue', { ref }, cookie), text)
  expectNowhere(app, await app.post('/cancel', { ref }), text)
  expectNowhere(app, await app.post('/sign-out', { ref }, cookie), text)
  expect(app.users.asked).toHaveLength(1)
}

// All addresses that are refused are in test/features/token/ref-address.test.ts.
test.each(['', 'https://evil.example/customer/', `${CONSUMER}..%2fother/`])('the ref %j is refused everywhere', (ref) =>
  expectRefusedEverywhere(ref, 'badConsumer'),
)

test.each(['vt=x', '%2576t=x'])('a ref with the query %s, which already has a token, is refused everywhere', (query) =>
  expectRefusedEverywhere(`${CONSUMER}1?${query}`, 'token.refusedToken'),
)

test.each([
  ['the same ref twice', REF, REF],
  ['a foreign ref after an allowed one', REF, 'https://evil.example/'],
  ['an allowed ref after a foreign one', 'https://evil.example/', REF],
])('a request with %s is refused', async (_case, first, second) => {
  const app = await startApp()
  const twice = `${formOf({ ref: first })}&${formOf({ ref: second })}`
  expectNowhere(app, await app.get(`/?${twice}`))
  expectNowhere(app, await app.post('/sign-in', `${formOf(ADA)}&${twice}`))
})

test('a form whose hidden ref was changed is refused', async () => {
  const app = await startApp()
  expect((await app.get(`/?${formOf({ ref: REF })}`)).status).toBe(200)
  expectNowhere(app, await app.post('/sign-in', { ...ADA, ref: 'https://evil.example/' }))
})

test('an allowed ref with a parameter hash is followed, and its query stays as it is', async () => {
  const app = await startApp()
  const ref = `${CONSUMER}1?hash=x&a=~%20+b`
  const { location } = await app.post('/sign-in', { ...ADA, ref })
  expect((await tokenIn(location)).address).toBe(ref)
})

test('a ref of 2,048 characters is followed, and a longer one refused', async () => {
  const app = await startApp()
  const longest = REF.padEnd(2048, 'x')
  const { location } = await app.post('/sign-in', { ...ADA, ref: longest })
  expect((await tokenIn(location)).address).toBe(longest)
  expectNowhere(app, await app.get(`/?${formOf({ ref: `${longest}x` })}`))
})

test('any query of a ref comes back byte for byte', async () => {
  const app = await startApp()
  const Cookie = await signIn(app, { ...ADA, ref: REF })
  const part = fc.oneof(
    fc.constantFrom(
      '%20',
      '+',
      '~',
      '%c3%A9',
      '%e9',
      '%26',
      '%3D',
      '%00',
      '%',
      '=',
      '&',
      '?',
      '/',
      "'",
      '"',
      '<',
      '{',
      '|',
    ),
    fc.string({ unit: fc.constantFrom(...'abcxyzABC019-_.!*();:@,$') }),
  )
  const query = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      const ref = `${CONSUMER}1?a${text}&z`
      app.clock.seconds += 60
      const { location } = await app.get(`/?${formOf({ ref })}`, { Cookie })
      expect(await tokenIn(location, app.clock.seconds)).toEqual({ address: ref, subject: ADA.username })
    }),
    { numRuns: 40 },
  )
})

test('a ref that is not percent-encoded, as in the example of the documents, ends before its first "&"', async () => {
  const app = await startApp()
  const Cookie = await signIn(app, { ...ADA, ref: REF })
  const { location } = await app.get(`/?ref=${CONSUMER}1?a=1&b=2`, { Cookie })
  expect((await tokenIn(location)).address).toBe(`${CONSUMER}1?a=1`)
})

test('a hashConsumer, a hash and a vt beside ref have no effect', async () => {
  const app = await startApp()
  const beside = { hashConsumer: 'https://evil.example/', hash: 'x', vt: 'x' }
  const screen = await app.get(`/?${formOf({ ref: REF, ...beside })}`)
  expect(screen.text).not.toContain('evil.example')
  expect(screen.headers['content-security-policy']).not.toContain('evil.example')
  const { location } = await app.post('/sign-in', { ...ADA, ref: REF, ...beside })
  expect((await tokenIn(location)).address).toBe(REF)
})

test('a ref in the address of a post does not count', async () => {
  const app = await startApp()
  expectRefused(await app.post(`/sign-in?${formOf({ ref: REF })}`, ADA), 400)
  const { location } = await app.post(`/sign-in?${formOf({ ref: 'https://evil.example/' })}`, { ...ADA, ref: REF })
  expect((await tokenIn(location)).address).toBe(REF)
})

test('a HEAD request gives a viewer with a session no token, nor does a script', async () => {
  const app = await startApp()
  const Cookie = await signIn(app, { ...ADA, ref: REF })
  const path = `/?${formOf({ ref: REF })}`
  expect(await app.send('HEAD', path, { Cookie })).toMatchObject({ status: 200, location: undefined })
  const byScript = await app.get(path, { Cookie, 'Sec-Fetch-Dest': 'empty' })
  expect(byScript).toMatchObject({ status: 200, location: undefined })
})
