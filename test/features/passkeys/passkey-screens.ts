import type { Page } from 'puppeteer-core'
import { newToken } from '../../../src/features/account/links/tokens.ts'
import type { Language } from '../../../src/languages/languages.ts'
import { findGeometryFaults } from '../../browser/find-geometry-faults.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { BRANDS } from '../../login/screens/every-screen.ts'
import type { Screen } from '../../login/screens/screen.ts'
import { LONG_NAME } from '../../login/screens/screen.ts'
import { ADA } from '../../login/start-login-app.ts'
import { freePort } from '../../servers/free-port.ts'
import { withSso } from '../sso/entry-point.ts'
import { ssoSettings } from '../sso/start-sso.ts'
import { createAuthenticator } from './authenticator.ts'
import { withPasskeys } from './entry-point.ts'
import { openFrame, ownHeaders, type PasskeyApp, readWindow, startPasskeys } from './start-passkeys.ts'

/** Starts the app with a brand, and passkeys at two entry points. `both` has single sign-on too. */
export async function startBrandedApp(): Promise<PasskeyApp> {
  const port = await freePort()
  const brand = BRANDS['square logo']
  const featureSettings = { account: { server: null, addressAttribute: 'username', resetsPerHour: 100 } }
  const entryPoints = [
    withPasskeys({ ...ENTRY_POINT, brand }),
    withSso(
      { ...ssoSettings('https://idp.example'), label: 'Contoso Identity Services' },
      withPasskeys(entryPointAt('both', { brand })),
    ),
  ]
  return await startPasskeys({ port, publicUrl: `http://localhost:${port}`, entryPoints, featureSettings })
}

/** Returns every screen of the frame with passkeys, in one language. */
export async function framesIn(app: PasskeyApp, language: Language): Promise<Screen[]> {
  const headers = { 'Accept-Language': language }
  const wrong = { username: LONG_NAME, password: 'x' }
  const passkey = (await app.get('/?prompt=passkey', headers)).text
  const [, waiting = ''] = /data-waiting="([^"]*)"/.exec(passkey) ?? []
  app.clock.seconds += 600
  const screens = {
    password: (await app.get('/', headers)).text,
    'wrong password': (await app.post('/sign-in', wrong, headers)).text,
    passkey,
    waiting: passkey.replace(/(<p class="hint"[^>]*>)[^<]*/, `$1${waiting}`),
    'not yet': (await app.post('/sso/continue', { wait: 'x'.repeat(43), way: 'passkey' }, headers)).text,
    'single sign-on': (await app.get('/e/both', headers)).text,
    'single sign-on, wrong password': (await app.post('/e/both/sign-in', wrong, headers)).text,
  }
  return Object.entries(screens).map(([name, html]) => ({ name: `${language}: ${name}`, html }))
}

/** Returns every kind of page of the window in one language, as its script shows them. */
export async function windowsIn(app: PasskeyApp, language: Language): Promise<Screen[]> {
  const { flow } = await openFrame(app)
  const send = (step: string, fields: object, cookie = '') =>
    app.post(`/passkey/${step}`, { flow, ...fields }, { ...ownHeaders(app, cookie), 'Accept-Language': language })
  const start = await send('start', {})
  const create = await send('password', ADA)
  const [signIn, creation] = [readWindow(app, start), readWindow(app, create)]
  const { challenge, cookie } = creation
  const [authenticator, unknown] = [createAuthenticator(), createAuthenticator()]
  const answer = authenticator.create(creation, creation.publicKey.user?.id ?? '')
  const unknownAnswer = { challenge: signIn.challenge, ...unknown.signIn(signIn) }
  const pages = {
    'sign-in': start,
    'sign-in, form open': { text: start.text.replace('<details', '<details open') },
    enrol: await send('start', { create: 'on' }),
    'wrong password': await send('password', { username: LONG_NAME, password: 'x' }),
    create,
    created: await send('create', { challenge, ...answer }, cookie),
    unknown: await send('finish', unknownAnswer, signIn.cookie),
    'from another page': await app.post('/passkey/start', {}, { 'Accept-Language': language }),
  }
  const { token, digest } = newToken()
  const link = { purpose: 'reset', digest, expiresAtSeconds: app.clock.seconds + 600 } as const
  await app.store.passwordChanges.createLink(ADA.username, link)
  const reset = await app.get(`/account/new-password?token=${token}&lang=${language}`)
  const own = await send('password', { ...ADA, own: 'on' })
  await app.passkeys.remove(ADA.username, authenticator.id)
  return Object.entries({ ...pages, own, reset }).map(([name, { text }]) => ({
    name: `${language} window: ${name}`,
    html: text.replace(/ id="(instruction|steps)" hidden/g, ''),
  }))
}

/** Shows the screens in each size, such as `320x180`, and returns what does not fit. */
export async function faultsIn(page: Page, screens: readonly Screen[], sizes: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const size of sizes) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    await page.setViewport({ width, height })
    const rules = { leastTarget: height > width ? 44 : 24, mostScroll: 0 }
    const pages = screens.map(({ html }) => html)
    const found = await findGeometryFaults(page, pages, rules)
    faults.push(...found.flatMap((list, index) => list.map((fault) => `${size} ${screens[index]?.name}: ${fault}`)))
  }
  return faults
}

export const FRAME_SIZES = ['320x180', '375x211', '480x270', '640x360', '1280x720', '375x667'] as const
export const WINDOW_SIZES = ['375x667', '1280x720'] as const
