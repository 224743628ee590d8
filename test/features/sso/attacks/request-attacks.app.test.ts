import { describe, expect, test } from 'vitest'
import type { Sso } from '../../../../src/features/sso/open-sso.ts'
import type { IdentityProvider } from '../../../../src/features/sso/provider/identity-provider.ts'
import { type FlowKind, type FlowStore, RESULT } from '../../../../src/services/window/flows/flow-store.ts'
import { digestOf } from '../../../../src/services/window/random-text.ts'
import {
  cookiesOf,
  fieldOf,
  finishWindow,
  openWindow,
  pressContinue,
  refreshOf,
  type SsoApp,
  startHeaders,
  startSso,
  visitProvider,
} from '../start-sso.ts'

/** Takes a guard out of single sign-on. */
type Weaken = (sso: Sso) => Sso

/** Every record can be taken again. */
const keepRecords: Weaken = (sso) => {
  const kept = new Map<string, unknown>()
  const flows: FlowStore = {
    ...sso.flows,
    put(kind, key, record) {
      kept.set(`${kind.name} ${key}`, record)
      return Promise.resolve()
    },
    take: <T>({ name }: FlowKind<T>, key: string) => Promise.resolve((kept.get(`${name} ${key}`) ?? null) as T | null),
  }
  return { ...sso, flows }
}

/** The public half of the secret opens the result too. */
const acceptPublicHalf: Weaken = (sso) => {
  const put: FlowStore['put'] = async (kind, key, record) => {
    await sso.flows.put(kind, key, record)
    if (kind.name === RESULT.name) await sso.flows.put(kind, digestOf(key), record)
  }
  return { ...sso, flows: { ...sso.flows, put } }
}

const SAME = { nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) }

/** All sign-ins have the same nonce or the same PKCE verifier. */
function share(secrets: readonly (keyof typeof SAME)[]): Weaken {
  const shared = Object.fromEntries(secrets.map((name) => [name, SAME[name]]))
  return changeProvider((provider) => ({
    ...provider,
    authorizationUrl: (request) => provider.authorizationUrl({ ...request, ...shared }),
    signIn: (currentUrl, own) => provider.signIn(currentUrl, { ...own, ...shared }),
  }))
}

function changeProvider(change: (provider: IdentityProvider) => IdentityProvider): Weaken {
  return (sso) => ({ ...sso, providerOf: (settings) => change(sso.providerOf(settings)) })
}

/** Attacks with parts of a sign-in that the attacker has seen. */
interface Attack {
  readonly name: string
  /** The guard, taken out. */
  readonly weaken: Weaken
  /** Returns true if the attacker won. */
  run(app: SsoApp): Promise<boolean>
}

const isCollected = (answers: readonly { status: number }[]) => answers.map(({ status }) => status === 303)
const typeCode = (app: SsoApp, code: string) => app.post('/sso/code', { code }, { 'Sec-Fetch-Site': 'same-origin' })

async function issueCode(app: SsoApp): Promise<string> {
  const started = await app.post('/sso/start', { flow: '' }, startHeaders(app))
  const done = await app.get(await visitProvider(refreshOf(started)), { Cookie: cookiesOf(started) })
  return /<strong dir="ltr">([^<]*)<\/strong>/.exec(done.text)?.[1] ?? ''
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'a second Continue with the secret of the frame',
    weaken: keepRecords,
    async run(app) {
      const window = await openWindow(app)
      await finishWindow(app, window)
      const first = await pressContinue(app, window)
      const second = await pressContinue(app, window)
      expect(first.status).toBe(303)
      return second.status === 303
    },
  },
  {
    name: 'two Continues at the same moment',
    weaken: keepRecords,
    async run(app) {
      const window = await openWindow(app)
      await finishWindow(app, window)
      const answers = await Promise.all([pressContinue(app, window), pressContinue(app, window)])
      return isCollected(answers).every(Boolean)
    },
  },
  {
    name: 'a code typed a second time',
    weaken: keepRecords,
    async run(app) {
      const code = await issueCode(app)
      const first = await typeCode(app, code)
      const second = await typeCode(app, code)
      expect(first.status).toBe(303)
      return second.status === 303
    },
  },
  {
    name: 'Continue with the public half of the secret',
    weaken: acceptPublicHalf,
    async run(app) {
      const window = await openWindow(app)
      await finishWindow(app, window)
      return (await pressContinue(app, { wait: window.flow })).status === 303
    },
  },
  { name: 'the code of another sign-in', weaken: share(['nonce', 'codeVerifier']), run: injectCode },
]

/** The attacker uses a code of a victim in a sign-in of the attacker. */
async function injectCode(app: SsoApp): Promise<boolean> {
  const victim = await openWindow(app)
  const mine = await openWindow(app)
  const stolen = new URL(await visitProvider(victim.address), app.origin).searchParams
  const state = new URL(mine.address).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ ...Object.fromEntries(stolen), state })
  await app.get(`/sso/callback?${query}`, { Cookie: mine.cookie })
  return (await pressContinue(app, mine)).status === 303
}

describe.each(ATTACKS)('$name', ({ name, weaken, run }) => {
  test(`${name} opens nothing`, async () => {
    expect(await run(await startSso({ settings: { hasCode: true } }))).toBe(false)
  })
  test(`${name} opens the player without the guard`, async () => {
    expect(await run(await startSso({ settings: { hasCode: true }, changeSso: weaken }))).toBe(true)
  })
})

test.each(['nonce', 'codeVerifier'] as const)(
  'a shared %s alone does not let in the code of another sign-in',
  async (secret) => {
    expect(await injectCode(await startSso({ changeSso: share([secret]) }))).toBe(false)
  },
)

test.each([
  ['repeated', (callback: string) => [callback, callback]],
  ['sent twice at the same moment', (callback: string) => [callback, callback]],
])('a callback that is %s asks the provider once', async (how, repeat) => {
  const asked: Record<string, number> = { guarded: 0, weak: 0 }
  for (const [name, weaken] of [
    ['guarded', (sso) => sso],
    ['weak', keepRecords],
  ] as [string, Weaken][]) {
    const countQuestions = changeProvider((provider) => ({
      ...provider,
      signIn(...given) {
        asked[name] = (asked[name] ?? 0) + 1
        return provider.signIn(...given)
      },
    }))
    const app = await startSso({ changeSso: (sso) => weaken(countQuestions(sso)) })
    const { address, cookie } = await openWindow(app)
    const callbacks = repeat(await visitProvider(address))
    const send = (callback: string) => app.get(callback, { Cookie: cookie })
    if (how === 'repeated') for (const callback of callbacks) await send(callback)
    else await Promise.all(callbacks.map(send))
  }
  expect(asked).toEqual({ guarded: 1, weak: 2 })
})

test('a viewer of another organization gets in only without OIDC_TENANTS', async () => {
  const statuses: number[] = []
  for (const tenants of [['ours'], null]) {
    const app = await startSso({ settings: { tenants } })
    app.provider.accounts.set('ada', { preferred_username: 'ada@evil.example', tid: 'theirs' })
    const window = await openWindow(app)
    await finishWindow(app, window)
    statuses.push((await pressContinue(app, window)).status)
  }
  expect(statuses).toEqual([403, 303])
})

test.each([
  ['a second code', (query: URLSearchParams) => query.append('code', 'x')],
  ['a second state', (query: URLSearchParams) => query.append('state', 'x')],
  ['a second issuer', (query: URLSearchParams) => query.append('iss', 'https://evil.example')],
  ['an error besides the code', (query: URLSearchParams) => query.append('error', 'access_denied')],
  ['tokens besides the code', (query: URLSearchParams) => query.append('id_token', 'x')],
  ['a signed answer besides the code', (query: URLSearchParams) => query.append('response', 'x')],
])('a callback with %s opens nothing', async (_case, change) => {
  const app = await startSso()
  const window = await openWindow(app)
  const callback = new URL(await visitProvider(window.address), app.origin)
  change(callback.searchParams)
  const answer = await app.get(`${callback.pathname}${callback.search}`, { Cookie: window.cookie })
  expect([400, 403]).toContain(answer.status)
  expect((await pressContinue(app, window)).status).not.toBe(303)
})

test.each(['POST', 'HEAD', 'PUT'])('a callback by %s is refused, and the sign-in goes on', async (method) => {
  const app = await startSso()
  const window = await openWindow(app)
  const callback = await visitProvider(window.address)
  const refused = await app.send(method, callback, { Cookie: window.cookie })
  expect([refused.status, refused.setCookies]).toEqual([405, []])
  expect((await app.get(callback, { Cookie: window.cookie })).status).toBe(200)
})

test('a text of the provider or of an attacker in the callback is neither shown nor logged', async () => {
  const app = await startSso()
  const { address, cookie } = await openWindow(app)
  const state = new URL(address).searchParams.get('state') ?? ''
  const query = new URLSearchParams({
    state,
    error: '<b>CALLUS</b>\n',
    error_description: 'CALLUS now',
    iss: app.provider.issuer,
  })
  const { status, text } = await app.get(`/sso/callback?${query}`, { Cookie: cookie })
  expect([status, text.includes('CALLUS'), JSON.stringify(app.lines).includes('CALLUS now')]).toEqual([
    403,
    false,
    false,
  ])
})

test('forged host headers change neither the redirect URI nor the address for another device', async () => {
  const app = await startSso({ settings: { hasCode: true }, trustProxyHops: 1 })
  const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' }
  const screen = await app.get('/?prompt=code', forged)
  const started = await app.post(
    '/sso/start',
    { flow: fieldOf(await app.get('/'), 'flow') },
    { ...startHeaders(app), ...forged },
  )
  const { searchParams } = new URL(refreshOf(started))
  expect(searchParams.get('redirect_uri')).toBe(`${app.origin}/sso/callback`)
  expect(screen.text + started.text).not.toContain('evil.example')
  const callback = await visitProvider(refreshOf(started))
  expect((await app.get(callback, { Cookie: cookiesOf(started), ...forged })).status).toBe(200)
})

test('the cookie of another sign-in, and broken cookies, do not admit the callback of an attacker', async () => {
  const app = await startSso()
  const victim = await openWindow(app)
  const mine = await openWindow(app)
  const callback = await visitProvider(mine.address)
  expect((await app.get(callback, { Cookie: `${victim.cookie}; sso-x=y; =; ;;` })).status).toBe(400)
})
