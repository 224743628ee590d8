import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { OverloadedError, UpstreamError } from '../../../errors.ts'
import type { Explanation } from '../../../login/answer/access-decision.ts'
import { LONG_NAME, type NamedScenes, type Scene, type Screen, type ScreenRequest, VIEWER } from './screen.ts'

const STORE_DOWN = new UpstreamError('user-store', 'No answer')
/** A loop is found after a few visits within seconds. */
const MOST_VISITS = 10
const HELP = 'https://login.example/help'

/** Requests every screen of an entry point. @param policyText the sentence of an access policy of its own. */
export async function everyScreen(
  request: ScreenRequest,
  policyText: string,
  features: readonly NamedScenes[],
): Promise<Screen[]> {
  return [
    ...(await signInScreens(request)),
    ...(await returningScreens(request)),
    ...(await refusals(request, policyText)),
    ...(await faultsOfAddress(request)),
    ...(await featureScreens(request, features)),
  ]
}

async function signInScreens({ app, entryPoint, fields }: ScreenRequest): Promise<Screen[]> {
  const fresh = { name: 'fresh', html: (await app.get('', { fields })).html }
  if (!entryPoint.hasPasswordForm) return [fresh]
  const refused = async (name: string, username: string, scene: Scene, headers = {}): Promise<Screen> => {
    const form = { ...fields, username, password: username && 'preview' }
    return { name, html: (await app.post('/sign-in', { fields: form, scene, headers })).html }
  }
  return [
    fresh,
    await refused('wrong password', VIEWER, { store: 'wrong-credentials' }),
    await refused('wrong password of a long name', LONG_NAME, { store: 'wrong-credentials' }),
    await refused('empty fields', '', {}),
    await refused('invalid character', 'a\u0001', {}),
    await refused('disabled', VIEWER, { store: 'disabled' }),
    await refused('expired password', VIEWER, { store: 'expired-password' }),
    await refused('too many tries, seconds', VIEWER, { waitSeconds: 59 }),
    await refused('too many tries, minutes', VIEWER, { waitSeconds: 600 }),
    await refused('from another page', VIEWER, {}, { 'Sec-Fetch-Site': 'cross-site' }),
    await refused('store down', VIEWER, { store: STORE_DOWN }),
    await refused('overloaded', VIEWER, { store: new OverloadedError('Too many', 3) }),
  ]
}

async function returningScreens(request: ScreenRequest): Promise<Screen[]> {
  const { app, entryPoint, fields } = request
  const screens: Screen[] = []
  for (const [who, username] of [
    ['', VIEWER],
    [', long name', LONG_NAME],
  ] as const) {
    const headers = { Cookie: await sessionOf(request, username) }
    const closed = (await app.get('', { fields: { ...fields, prompt: 'login' }, headers })).html
    screens.push({ name: `welcome back${who}`, html: closed })
    if (closed.includes('<details')) {
      screens.push({ name: `welcome back${who}, form open`, html: closed.replace('<details', '<details open') })
    }
    // Only an entry point with a question before the answer shows a screen.
    const asked = await app.get('', { fields, headers })
    if (asked.status === 200) screens.push({ name: `asked${who}`, html: asked.html })
    if (!entryPoint.hasPasswordForm) continue
    const form = {
      fields: { ...fields, username, password: 'x' },
      headers,
      scene: { store: 'wrong-credentials' } as const,
    }
    screens.push({ name: `welcome back${who}, wrong password`, html: (await app.post('/sign-in', form)).html })
  }
  return screens
}

async function refusals(request: ScreenRequest, policyText: string): Promise<Screen[]> {
  const { app, fields } = request
  const link = { href: HELP, text: 'Renew your season ticket' }
  const refused = async (name: string, username: string, explanation?: Explanation): Promise<Screen> => {
    const access = { ok: false, reason: 'not-entitled', ...(explanation && { explanation }) } as const
    const form = { ...fields, username, password: 'preview' }
    return { name, html: (await app.post('/sign-in', { at: 'open', fields: form, scene: { access } })).html }
  }
  const lacking = { ok: false, reason: 'unusable-attribute', attribute: 'p', fault: 'is missing' } as const
  const form = { ...fields, username: VIEWER, password: 'preview' }
  const headers = { Cookie: await sessionOf(request, VIEWER) }
  let loop = await app.get('', { fields, headers })
  for (let visit = 0; loop.status < 400 && visit < MOST_VISITS; visit++) loop = await app.get('', { fields, headers })
  return [
    await refused('not entitled', VIEWER),
    await refused('not entitled, long name', LONG_NAME),
    await refused('explained by the policy', VIEWER, { text: policyText, link }),
    {
      name: 'missing attribute',
      html: (await app.post('/sign-in', { at: 'open', fields: form, scene: { access: lacking } })).html,
    },
    { name: 'loop', html: loop.html },
    { name: 'unavailable', html: (await app.get('', { fields, headers, scene: { store: STORE_DOWN } })).html },
  ]
}

async function faultsOfAddress({ app, entryPoint, fields }: ScreenRequest): Promise<Screen[]> {
  const json = { 'Content-Type': 'application/json' }
  const consumer = isHashEntryPoint(entryPoint) ? [await app.get('', { fields: { hashConsumer: 'x' } })] : []
  return [
    { name: 'not found', html: (await app.get('/nowhere')).html },
    ...consumer.map(({ html }) => ({ name: 'bad consumer', html })),
    { name: 'bad content', html: (await app.get('', { fields: { ...fields, ustreamContentId: ' ' } })).html },
    { name: 'wrong method', html: (await app.get('/sign-in', { at: 'open' })).html },
    { name: 'no form', html: (await app.post('/sign-in', { at: 'open', body: '{}', headers: json })).html },
    {
      name: 'too large',
      html: (await app.post('/sign-in', { at: 'open', body: `username=${'a'.repeat(9_000)}` })).html,
    },
  ]
}

async function featureScreens(request: ScreenRequest, features: readonly NamedScenes[]): Promise<Screen[]> {
  const screens: Screen[] = []
  for (const { name, scenes } of features) {
    const settings = request.entryPoint.features[name]
    if (request.app.isOpen(name)) screens.push(...(await scenes.screens(request, settings)))
  }
  return screens
}

/** Signs a viewer in. Returns the cookie. */
async function sessionOf({ app, fields }: ScreenRequest, username: string): Promise<string> {
  return (await app.post('/sign-in', { at: 'open', fields: { ...fields, username, password: 'preview' } })).cookie
}
