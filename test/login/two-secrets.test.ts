import { expect, test } from 'vitest'
import { ENTRY_POINT, SECRET } from './entry-point.ts'
import { responseOf } from './response-of.ts'
import { cookieIn, signIn } from './signed-in.ts'
import { ADA, type LoginApp, startLoginApp } from './start-login-app.ts'
import { withSecrets } from './with-secrets.ts'

const PREVIOUS = 'PREVIOUSSECRETMARKER-51c08e'
const withPrevious = { entryPoints: [{ ...ENTRY_POINT, previousSecret: PREVIOUS }] }

/** Tells which secret the response in a redirect has. */
function secretIn(location: string | undefined): 'current' | 'previous' {
  try {
    responseOf(location, SECRET)
    return 'current'
  } catch {
    responseOf(location, PREVIOUS)
    return 'previous'
  }
}

async function secretAtReturn(app: LoginApp, Cookie: string, path = '/') {
  return secretIn((await app.get(path, { Cookie })).location)
}

test('a viewer who comes straight back gets a response with the other secret', async () => {
  const app = await startLoginApp(withPrevious)
  const cookie = await signIn(app)
  expect(await secretAtReturn(app, cookie)).toBe('previous')
  expect(await secretAtReturn(app, cookie)).toBe('current')
  expect((await app.get('/', { Cookie: cookie })).status).toBe(409)
})

test('a viewer who comes back later or for another channel or video gets a response with the current secret', async () => {
  const app = await startLoginApp(withPrevious)
  const cookie = await signIn(app)
  expect(await secretAtReturn(app, cookie, '/?ustreamContentType=live&ustreamContentId=7')).toBe('current')
  app.clock.seconds += 11
  expect(await secretAtReturn(app, cookie)).toBe('current')
})

test('a viewer who types the password again gets a response with the current secret', async () => {
  const app = await startLoginApp(withPrevious)
  for (let again = 0; again < 4; again += 1) {
    expect(secretIn((await app.post('/sign-in', ADA)).location)).toBe('current')
  }
})

test('a viewer who comes straight back gets the same secret where there is one only', async () => {
  const app = await startLoginApp()
  const cookie = await signIn(app)
  expect([await secretAtReturn(app, cookie), await secretAtReturn(app, cookie)]).toEqual(['current', 'current'])
})

test('a viewer who comes straight back after the secrets were swapped gets the new one', async () => {
  let secrets = { current: PREVIOUS, previous: SECRET }
  const app = await startLoginApp({ features: [withSecrets(() => secrets)] })
  const signedIn = await app.post('/sign-in', ADA)
  secrets = { current: SECRET, previous: PREVIOUS }
  expect(secretIn(signedIn.location)).toBe('previous')
  expect(await secretAtReturn(app, cookieIn(signedIn))).toBe('current')
})

test('a viewer gets a response with the secrets of the moment', async () => {
  let current = SECRET
  const app = await startLoginApp({ features: [withSecrets(() => ({ current, previous: null }))] })
  expect(secretIn((await app.post('/sign-in', ADA)).location)).toBe('current')
  current = PREVIOUS
  expect(secretIn((await app.post('/sign-in', ADA)).location)).toBe('previous')
})

test('a viewer gets no response where the secret is gone', async () => {
  const app = await startLoginApp({ features: [withSecrets(() => ({ current: '', previous: PREVIOUS }))] })
  expect((await app.post('/sign-in', ADA)).location).toBeUndefined()
})
