import { readdirSync } from 'node:fs'
import { parse } from 'node:path'
import { type Brand, UNBRANDED } from '../../../src/brand/brand.ts'
import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import { OverloadedError } from '../../../src/errors.ts'
import type { Language } from '../../../src/languages/languages.ts'
import { decideAccess } from '../../../src/login/access-policy.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits } from '../../../src/sign-in-limits/sign-in-limits.ts'
import { ENTRY_POINT } from '../entry-point.ts'
import { STORE_DOWN } from '../memory-users.ts'
import { ADA, type LoginApp, startLoginApp } from '../start-login-app.ts'
import { FEATURE_SCREENS } from './feature-screens.ts'
import { LONG_NAME, type Screen } from './screen.ts'

const FOLDER = new URL('../../../views/languages/', import.meta.url)
export const LANGUAGES: readonly Language[] = readdirSync(FOLDER).map((file) => parse(file).name)

const SQUARE_LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="18" fill="#b3261e"/><path d="M14 12v16l14-8z" fill="#fff"/></svg>'
const WORDMARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 40"><rect width="200" height="40" rx="8" fill="#0b5d3b"/><path d="M20 30 34 10l14 20m8-20v20m10-20h20m-10 0v20m18-20v20m12 0V10l18 20V10m12 0h16m-16 10h14m-14 10h16" fill="none" stroke="#fff" stroke-width="4"/></svg>'
const LINKS = {
  helpUrl: 'https://customer.example/help',
  forgotPasswordUrl: 'https://customer.example/forgot',
  termsUrl: 'https://customer.example/terms',
}

/** Of as many characters as a setting may have. */
const LONGEST_TEXTS = {
  name: 'Bundesarbeitsgemeinschaft Donaudampfschifffahrtsgesellschaft',
  title: 'Hauptversammlung der Donaudampfschifffahrtsgesellschaft 2026',
}

/**
 * The looks that change the room on a screen: nothing, a square logo with a name, a wordmark for email addresses, and
 * the longest texts beside a logo, and a name that is nearly as wide as a small player.
 */
export const BRANDS: Readonly<
  Record<'unbranded' | 'square logo' | 'wordmark' | 'longest texts' | 'name of a line', Brand>
> = {
  unbranded: UNBRANDED,
  'square logo': {
    ...UNBRANDED,
    ...LINKS,
    name: 'Aurora Sports',
    colorScheme: 'auto',
    logo: { type: 'image/svg+xml', content: Buffer.from(SQUARE_LOGO), width: 40, height: 40 },
    colors: { light: '#b3261e', dark: '#ffb4ab' },
  },
  wordmark: {
    ...UNBRANDED,
    ...LINKS,
    name: 'Northern Lights Television',
    colorScheme: 'auto',
    usernameKind: 'email',
    logo: { type: 'image/svg+xml', content: Buffer.from(WORDMARK), width: 200, height: 40 },
    colors: { light: '#0b5d3b', dark: '#7fd6ab' },
  },
  'name of a line': {
    ...UNBRANDED,
    name: 'Lakeside Media of Northern Counties',
    logo: { type: 'image/svg+xml', content: Buffer.from(SQUARE_LOGO), width: 40, height: 40 },
  },
  'longest texts': {
    ...UNBRANDED,
    ...LINKS,
    ...LONGEST_TEXTS,
    colorScheme: 'auto',
    logo: { type: 'image/svg+xml', content: Buffer.from(SQUARE_LOGO), width: 40, height: 40 },
  },
}

const PASSWORD = ADA.password
const RENEWAL = { href: 'https://customer.example/renew', text: 'Renew your season ticket' }

/** Starts the app with an entry point for each decision of the access policy. Its screens are in `everyScreen()`. */
export async function startAppWithEveryScreen(
  brand: Brand,
  { playerOrigins }: Pick<EntryPoint, 'playerOrigins'> = ENTRY_POINT,
): Promise<LoginApp> {
  const entryPoint = { ...ENTRY_POINT, brand, playerOrigins }
  const limits = createSignInLimits(openMemoryCounter)
  const app = await startLoginApp({
    publicUrl: 'http://localhost',
    entryPoints: [
      entryPoint,
      { ...entryPoint, name: 'closed', basePath: '/e/closed', allowedGroups: ['gold'] },
      { ...entryPoint, name: 'ended', basePath: '/e/ended' },
      ...FEATURE_SCREENS.map((feature) => ({ ...feature.entryPoint, brand, playerOrigins })),
      { ...entryPoint, name: 'lacking', basePath: '/e/lacking', parameters: [{ name: 'p', attribute: 'missing' }] },
    ],
    ...Object.assign({}, ...FEATURE_SCREENS.map(({ deps }) => deps)),
    // Several features may share a store.
    featureSettings: Object.assign({}, ...FEATURE_SCREENS.map(({ deps }) => deps.featureSettings)),
    accessPolicy: {
      timeoutMs: 1_000,
      decideAccess: (viewer, { name, ...rest }, content) =>
        name === 'ended'
          ? {
              ok: false,
              reason: 'not-entitled',
              explanation: { text: 'Your season ticket ended on 3 November.', link: RENEWAL },
            }
          : decideAccess(viewer, rest, content),
    },
    signInLimits: {
      ...limits,
      admit: (username, address) =>
        username.startsWith('throttled')
          ? Promise.resolve({ ok: false, limit: 'account', retryAfterSeconds: username.endsWith('minutes') ? 600 : 59 })
          : limits.admit(username, address),
    },
  })
  app.users.add(LONG_NAME, PASSWORD)
  app.users.add('disabled', PASSWORD)
  app.users.disable('disabled')
  app.users.add('expired', PASSWORD)
  app.users.expirePassword('expired')
  return app
}

const shown = new Map<string, Promise<readonly Screen[]>>()

/** Returns every screen with a brand in one language. A worker asks the app for them once, because that takes a second. */
export function screensWith(brand: keyof typeof BRANDS, language: Language): Promise<readonly Screen[]> {
  const key = `${brand} ${language}`
  const screens = shown.get(key) ?? startAppWithEveryScreen(BRANDS[brand]).then((app) => everyScreen(app, language))
  shown.set(key, screens)
  return screens
}

/** Returns every screen of the app in one language. */
export async function everyScreen(app: LoginApp, language: Language, features = FEATURE_SCREENS): Promise<Screen[]> {
  return [
    ...(await signInScreens(app, language)),
    ...(await returningScreens(app, language)),
    ...(await messages(app, language, features)),
  ]
}

async function signInScreens(app: LoginApp, language: Language): Promise<Screen[]> {
  const headers = { 'Accept-Language': language }
  const refused = async (username: string, password = 'wrong', more = {}): Promise<string> =>
    (await app.post('/sign-in', { username, password }, { ...headers, ...more })).text
  app.clock.seconds += 600
  const screens: Screen[] = [
    { name: 'fresh', html: (await app.get('/', headers)).text },
    { name: 'wrong password', html: await refused(ADA.username) },
    { name: 'wrong password of a long name', html: await refused(LONG_NAME) },
    { name: 'empty fields', html: await refused('', '') },
    { name: 'invalid character', html: await refused('a\u0001') },
    { name: 'disabled', html: await refused('disabled', PASSWORD) },
    { name: 'expired password', html: await refused('expired', PASSWORD) },
    { name: 'too many tries, seconds', html: await refused('throttled seconds') },
    { name: 'too many tries, minutes', html: await refused('throttled minutes') },
    { name: 'from another page', html: await refused(ADA.username, PASSWORD, { 'Sec-Fetch-Site': 'cross-site' }) },
  ]
  app.users.fail(STORE_DOWN)
  screens.push({ name: 'store down', html: await refused(ADA.username) })
  app.users.fail(new OverloadedError('too many', 3))
  screens.push({ name: 'overloaded', html: await refused(ADA.username) })
  app.users.fail(null)
  return screens
}

async function returningScreens(app: LoginApp, language: Language): Promise<Screen[]> {
  const screens: Screen[] = []
  for (const [who, username] of [
    ['', ADA.username],
    [', long name', LONG_NAME],
  ] as const) {
    const headers = { 'Accept-Language': language, Cookie: await sessionOf(app, username) }
    const closed = (await app.get('/?prompt=login', headers)).text
    screens.push(
      { name: `welcome back${who}`, html: closed },
      { name: `welcome back${who}, form open`, html: closed.replace('<details', '<details open') },
      {
        name: `welcome back${who}, wrong password`,
        html: (await app.post('/sign-in', { username, password: 'x' }, headers)).text,
      },
    )
  }
  return screens
}

async function messages(app: LoginApp, language: Language, features: typeof FEATURE_SCREENS): Promise<Screen[]> {
  const headers = { 'Accept-Language': language }
  const of = async (path: string) => (await app.get(path, headers)).text
  const refusedBy = async (entryPoint: string, username = ADA.username) =>
    (await app.post(`/e/${entryPoint}/sign-in`, { username, password: PASSWORD }, headers)).text
  const screens: Screen[] = [
    { name: 'not found', html: await of('/nowhere') },
    { name: 'bad consumer', html: await of('/?hashConsumer=x') },
    { name: 'bad content', html: await of('/?ustreamContentId=%20') },
    { name: 'wrong method', html: await of('/sign-in') },
    {
      name: 'no form',
      html: (await app.post('/sign-in', '{}', { ...headers, 'Content-Type': 'application/json' })).text,
    },
    { name: 'too large', html: (await app.post('/sign-in', `username=${'a'.repeat(9_000)}`, headers)).text },
    { name: 'not entitled', html: await refusedBy('closed') },
    { name: 'not entitled, long name', html: await refusedBy('closed', LONG_NAME) },
    { name: 'explained by the policy', html: await refusedBy('ended') },
    { name: 'missing attribute', html: await refusedBy('lacking') },
  ]
  const Cookie = await sessionOf(app, ADA.username)
  let loop = ''
  for (let visit = 0; visit < 4; visit += 1) loop = (await app.get('/', { ...headers, Cookie })).text
  screens.push({ name: 'loop', html: loop })
  for (const feature of features) screens.push(...(await feature.screens(app, headers, Cookie)))
  app.users.fail(STORE_DOWN)
  screens.push({ name: 'unavailable', html: (await app.get('/', { ...headers, Cookie })).text })
  app.users.fail(null)
  return screens
}

async function sessionOf(app: LoginApp, username: string): Promise<string> {
  const { setCookies } = await app.post('/sign-in', { username, password: PASSWORD })
  return setCookies[0]?.split(';')[0] ?? ''
}
