import { SignJWT } from 'jose'
import { createAuthenticator } from '../features/passkeys/authenticator.ts'
import { fieldOf, readWindow } from '../features/passkeys/start-passkeys.ts'
import { EVENT } from '../features/sso/logout/logout-issuer.ts'
import { CLIENT, signingKey } from '../features/sso/start-provider.ts'
import { visitProvider } from '../features/sso/start-sso.ts'
import { tokenIn } from '../services/mail/mail-server.ts'
import type { RawAnswer } from './connection.ts'
import { type FuzzRequest, get, ORIGIN, post, WINDOW, withHeader } from './fuzz-request.ts'
import { goldName, type Installation, MARKER, passwordOf, plainName, SSO_VIEWER } from './installation.ts'
import { type Credentials, codeOf, decode } from './judge.ts'
import { anyAddress, mutate } from './mutations.ts'
import type { Random } from './random.ts'

export interface Traveller {
  readonly index: number
  readonly random: Random
  readonly paths: readonly string[]
  readonly credentials: Credentials
  readonly installation: Pick<Installation, 'mail' | 'provider'>
  /** Sends a request, and judges the answer. */
  readonly send: (request: FuzzRequest) => Promise<RawAnswer | null>
  /** Counts what the journeys reached. */
  readonly reached: Record<string, number>
}

/** Creates the ways of one viewer. Before each request, mutations of the same request are sent. */
export function createJourneys(traveller: Traveller) {
  const { index, random, credentials, installation, reached, send } = traveller
  const home = `192.0.2.${index + 1}`
  const authenticator = createAuthenticator()
  let hasPasskey = false
  let resets = 0
  let password = passwordOf(plainName(index))

  /** Sends mutations of a request and then the request, whose answer it returns. */
  async function step(valid: FuzzRequest, mutations: number): Promise<RawAnswer> {
    const request = withHeader(valid, 'X-Forwarded-For', home)
    for (let count = 0; count < mutations; count += 1) await bend(request)
    return (await send(request)) ?? NOTHING
  }
  async function bend(request: FuzzRequest): Promise<void> {
    const elsewhere = withHeader(request, 'X-Forwarded-For', anyAddress(random))
    const once = mutate(random, elsewhere, traveller.paths)
    await send(random.chance(0.2) ? mutate(random, once, traveller.paths) : once)
  }
  const reach = (name: string) => {
    reached[name] = (reached[name] ?? 0) + 1
  }
  const contextAt = (base: string): Record<string, string> => {
    const content = { ustreamContentType: 'channel', ustreamContentId: String(random.below(1_000_000)) }
    if (base === '/e/token') return { ref: `https://player.example/embed/${random.below(9_999)}`, ...content }
    return base === '' && random.chance(0.5)
      ? { hashConsumer: 'https://chat.example/customer/1?a=b', ...content }
      : content
  }
  const screenAt = (base: string) => (base === '' ? '/' : base)

  async function passwordJourney(): Promise<void> {
    const base = random.pick(['', '/e/default', '/e/gold', '/e/token'])
    const username = goldName(index)
    const context = () => contextAt(base)
    await step(get(screenAt(base), context()), 8)
    const form = { ...context(), username, password: passwordOf(username) }
    const signedIn = await step(post(`${base}/sign-in`, form), 3)
    const session = cookieOf(signedIn, 'viewer')
    if (session === undefined) return
    reach('signed in with a password')
    const Cookie = `viewer=${session}${visitOf(signedIn)}`
    await step(get(screenAt(base), { ...context(), prompt: 'login' }, { Cookie }), 8)
    for (const place of [base, '', '/e/gold', '/e/token', '/e/provider']) {
      const returned = await step(get(screenAt(place), contextAt(place), { Cookie }), 6)
      if (returned.status === 303) reach('returned with a session')
    }
    await step(post(`${base}/continue`, { ...context(), viewer: username }, { Cookie }), 8)
    await step(post(`${base}/cancel`, context(), { Cookie }), 5)
    const out = await step(post(`${base}/sign-out`, context(), { Cookie }), 2)
    if (out.status !== 303) return
    credentials.sessions.delete(decode(session))
    reach('signed out')
    await step(get(screenAt(base), context(), { Cookie }), 2)
    await step(post(`${base}/continue`, context(), { Cookie }), 2)
  }

  /** Signs in at the provider, in a window of its own. Returns the answer of the callback. */
  async function visitWindow(base: string, form: Record<string, string>, mutations: number): Promise<RawAnswer> {
    const started = await step(post(`${base}/sso/start`, form, WINDOW), mutations)
    const address = /^0; url=(.+)$/.exec(headerIn(started, 'refresh') ?? '')?.[1]
    if (address === undefined) return NOTHING
    const cookie = started.headers.find(([name, value]) => name === 'set-cookie' && value.startsWith('sso-'))?.[1]
    const headers = { Cookie: cookie?.split(';')[0] ?? '', ...WINDOW }
    const state = new URL(address).searchParams.get('state') ?? ''
    if (random.chance(0.2)) {
      // Uses the sign-in up, without asking the provider.
      await step(get('/sso/callback', { state, error: 'access_denied', iss: installation.provider.issuer }, headers), 3)
      return NOTHING
    }
    const [path = '', query = ''] = (await visitProvider(address)).split('?')
    return await step(get(path, Object.fromEntries(new URLSearchParams(query)), headers), random.pick([0, 0, 1, 3]))
  }

  async function ssoJourney(): Promise<void> {
    const base = random.pick(['', '/e/gold', '/e/provider', '/e/token'])
    const context = contextAt(base)
    const screen = await step(get(screenAt(base), context), 3)
    const wait = fieldIn(screen, 'wait')
    const flow = fieldIn(screen, 'flow')
    await step(post(`${base}/sso/status`, { wait }), 6)
    await step(post(`${base}/sso/continue`, { ...context, wait }), 4)
    credentials.waits.set(wait, SSO_VIEWER)
    const done = await visitWindow(base, { flow }, 6)
    if (done.status === 200) {
      await step(post(`${base}/sso/status`, { wait }), 6)
      const collected = await step(post(`${base}/sso/continue`, { ...context, wait }), random.pick([0, 2, 4]))
      credentials.waits.delete(wait)
      await step(post(`${base}/sso/continue`, { ...context, wait }), 1)
      const session = cookieOf(collected, 'viewer')
      if (session !== undefined) {
        reach('signed in at the provider')
        const Cookie = `viewer=${session}`
        for (const place of [base, '', '/e/provider']) await step(get(screenAt(place), contextAt(place), { Cookie }), 5)
      }
    }
    credentials.waits.delete(wait)
  }

  async function codeJourney(): Promise<void> {
    const base = random.pick(['', '/e/gold', '/e/token'])
    const page = await step(get(`${base}/sso`), 4)
    const done = await visitWindow(base, { flow: fieldIn(page, 'flow') }, 3)
    const code = /<strong>([A-Z2-9]{4} [A-Z2-9]{4})<\/strong>/.exec(done.body)?.[1]
    if (code === undefined) return
    credentials.codes.set(codeOf(code), SSO_VIEWER)
    const collected = await step(post(`${base}/sso/code`, { ...contextAt(base), code }), random.pick([0, 0, 2, 4]))
    if (cookieOf(collected, 'viewer') !== undefined) reach('signed in with a code')
    credentials.codes.delete(codeOf(code))
    await step(post(`${base}/sso/code`, { ...contextAt(base), code }), 1)
  }

  async function passkeyJourney(): Promise<void> {
    const base = random.pick(hasPasskey ? ['', '/e/token'] : [''])
    const username = goldName(index)
    const context = contextAt(base)
    const screen = await step(get(screenAt(base), { ...context, prompt: 'passkey' }), 3)
    const wait = fieldIn(screen, 'wait')
    const flow = fieldIn(screen, 'flow')
    credentials.waits.set(wait, username)
    const isCreating = !hasPasskey
    for (const isBent of [true, true, false]) {
      const opened = isCreating
        ? await step(
            post(`${base}/passkey/password`, { flow, username, password: passwordOf(username) }, WINDOW),
            isBent ? 0 : 2,
          )
        : await step(post(`${base}/passkey/start`, { flow }, WINDOW), 6)
      if (!opened.body.includes('data-public-key="')) break
      const setCookies = opened.headers.flatMap(([name, value]) => (name === 'set-cookie' ? value : []))
      const window = readWindow({ origin: ORIGIN }, { ...NO_ANSWER, text: opened.body, setCookies })
      const answer = isCreating
        ? authenticator.create(window, window.publicKey.user?.id ?? '')
        : authenticator.signIn(window)
      const { challenge, cookie } = window
      const path = `${base}/passkey/${isCreating ? 'create' : 'finish'}`
      const valid = post(path, { flow, challenge, ...answer }, { ...WINDOW, Cookie: cookie })
      // A mutation uses the challenge up.
      if (isBent) await bend(valid)
      else if ((await step(valid, 0)).status === 200) {
        hasPasskey = true
        reach(isCreating ? 'created a passkey' : 'finished with a passkey')
      }
    }
    const collected = await step(post(`${base}/sso/continue`, { ...context, wait, way: 'passkey' }), 2)
    if (cookieOf(collected, 'viewer') !== undefined) reach('signed in with a passkey')
    credentials.waits.delete(wait)
  }

  async function resetJourney(): Promise<void> {
    // An account gets three mails in an hour.
    if (resets >= 2) return
    resets += 1
    const username = plainName(index)
    const { mails } = installation.mail
    const already = mails.filter(({ to }) => to.includes(username)).length
    await step(post('/account/forgot', { username }), 0)
    for (let tries = 0; tries < 100; tries += 1) {
      if (mails.filter(({ to }) => to.includes(username)).length > already) break
      await step(get('/account/forgot'), 1)
    }
    const mail = mails.findLast(({ to, text }) => to.includes(username) && text.includes('token='))
    if (mail === undefined) return
    const token = tokenIn(mail)
    const next = `${MARKER} number ${resets} of ${username}`
    await step(get('/account/new-password', { token }), 8)
    const form = { token, newPassword: next, repeatPassword: next }
    credentials.passwords.get(username)?.add(next)
    const saved = await step(post('/account/new-password', form, WINDOW), random.pick([0, 3, 6]))
    if (saved.status === 200) {
      reach('reset a password')
      credentials.passwords.set(username, new Set([next]))
      await step(post('/account/new-password', form, WINDOW), 1)
      await step(post('/sign-in', { username, password }), 0)
      password = next
    }
    await step(post('/sign-in', { username, password: next }), 1)
  }

  async function changeJourney(): Promise<void> {
    const username = plainName(index)
    await step(get('/account/change-password'), 6)
    const newPassword = `${MARKER} change of ${username}`
    const form = { username, password: 'wrong', newPassword, repeatPassword: newPassword }
    for (let count = 0; count < 6; count += 1) await bend(post('/account/change-password', form, WINDOW))
    for (let count = 0; count < 6; count += 1)
      await bend(post('/account/forgot', { username: `nobody-${random.below(999)}` }))
  }

  async function logoutJourney(): Promise<void> {
    const iat = Math.floor(Date.now() / 1000)
    const whom = { iss: installation.provider.issuer, aud: CLIENT.clientId, sub: `nobody-${random.below(9_999)}` }
    const claims = { ...whom, iat, exp: iat + 120, jti: random.text(20), events: { [EVENT]: {} } }
    const header = { alg: 'RS256', kid: 'test', typ: 'logout+jwt' }
    const token = await new SignJWT(claims).setProtectedHeader(header).sign((await signingKey).privateKey)
    const done = await step(post('/sso/logout', { logout_token: token }), random.pick([0, 6, 12]))
    if (done.status === 200) reach('ended sessions of the provider')
    await step(post('/sso/logout', { logout_token: token }), 2)
  }

  const weighted = [
    ...Array<() => Promise<void>>(8).fill(passwordJourney),
    ...Array<() => Promise<void>>(5).fill(ssoJourney),
    ...Array<() => Promise<void>>(5).fill(passkeyJourney),
    ...[codeJourney, codeJourney, codeJourney, resetJourney, resetJourney, changeJourney, logoutJourney],
  ]
  return { any: () => random.pick(weighted)() }
}

const NOTHING: RawAnswer = { status: 0, headers: [], body: '' }
const NO_ANSWER = { status: 200, headers: {}, location: undefined }

const headerIn = ({ headers }: RawAnswer, name: string) => headers.find(([one]) => one === name)?.[1]
const fieldIn = ({ body }: RawAnswer, name: string) => fieldOf({ text: body }, name)

function cookieOf({ headers }: RawAnswer, cookie: string): string | undefined {
  const set = headers.find(([name, value]) => name === 'set-cookie' && value.startsWith(`${cookie}=`))?.[1]
  return /^[^=]+=([^;]+)/.exec(set ?? '')?.[1]
}

/** Returns the other cookies of an answer, as a browser sends them back. */
function visitOf({ headers }: RawAnswer): string {
  const others = headers.filter(([name, value]) => name === 'set-cookie' && !value.startsWith('viewer='))
  return others.map(([, value]) => `; ${value.split(';')[0]}`).join('')
}
