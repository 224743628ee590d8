import { expect, test } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../src/errors.ts'
import { entryPointAt } from '../../login/entry-point.ts'
import { withSso } from './entry-point.ts'
import {
  cookiesOf,
  fieldOf,
  finishWindow,
  openWindow,
  pressContinue,
  refreshOf,
  startHeaders,
  startSso,
  visitProvider,
} from './start-sso.ts'

const reasonOf = ({ text }: { text: string }) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]

test.each([
  ['the viewer cancels', { signsIn: 'nobody' }, {}, 'refused'],
  ['the provider has another organization', {}, { tenants: ['t1'] }, 'wrong-tenant'],
  ['an email address is not verified', { signsIn: 'bob' }, { usernameClaim: 'email' }, 'email-not-verified'],
  ['a claim is missing', {}, { usernameClaim: 'upn' }, 'unusable-account'],
  ['the groups are too many', { signsIn: 'omar' }, {}, 'groups-overage'],
])(
  'if %s, the frame also shows the reason, once, and offers another account',
  async (_case, provider, settings, reason) => {
    const app = await startSso({ provider, settings })
    app.provider.accounts.set('omar', { preferred_username: 'omar@example.com', hasgroups: true })
    const window = await openWindow(app)
    expect(reasonOf(await finishWindow(app, window))).toBe(reason)
    const told = await pressContinue(app, window)
    expect([told.status, reasonOf(told), fieldOf(told, 'wait')]).toEqual([403, reason, window.wait])
    // Only the viewer chooses another account: some providers do not know the question.
    expect(fieldOf(told, 'account')).toBe('')
    const [, link = ''] = /href="([^"]+)">Use another account</.exec(told.text) ?? []
    expect(fieldOf(await app.get(link), 'account')).toBe('other')
    expect(told.text).not.toContain('name="password"')
    expect(told.setCookies).toEqual([])
    expect(reasonOf(await pressContinue(app, window))).toBe('sso-not-yet')
  },
)

test('a refusal is told only at the entry point where the sign-in began, and a later sign-in replaces it', async () => {
  const app = await startSso({
    entryPointsWith: (sso) => ['one', 'two'].map((name) => withSso(sso, entryPointAt(name))),
  })
  const claims = app.provider.accounts.get('ada') ?? {}
  const refuse = async () => {
    const window = await openWindow(app, '/e/one')
    app.provider.accounts.set('ada', { ...claims, hasgroups: true })
    await finishWindow(app, window)
    app.provider.accounts.set('ada', claims)
    return window
  }
  expect(reasonOf(await pressContinue(app, await refuse(), '/e/two'))).toBe('sso-not-yet')
  const window = await refuse()
  const started = await app.post('/e/one/sso/start', { flow: window.flow }, startHeaders(app))
  await finishWindow(app, { ...window, cookie: cookiesOf(started), address: refreshOf(started) })
  expect((await pressContinue(app, window, '/e/one')).status).toBe(303)
})

test('a frame with a script learns of a refusal by its next question', async () => {
  const app = await startSso({ settings: { usernameClaim: 'upn' } })
  const window = await openWindow(app)
  await finishWindow(app, window)
  const status = await app.post('/sso/status', { wait: window.wait }, { 'Sec-Fetch-Site': 'same-origin' })
  expect(JSON.parse(status.text)).toEqual({ status: 'ready' })
})

test('a refusal that the store cannot keep is still told in the window', async () => {
  const put = () => Promise.reject(new UpstreamError('sso-store', 'Redis does not answer'))
  const app = await startSso({
    settings: { usernameClaim: 'upn' },
    changeSso: (sso) => ({
      ...sso,
      flows: { ...sso.flows, put: (kind, ...rest) => (kind.name === 'result' ? put() : sso.flows.put(kind, ...rest)) },
    }),
  })
  const window = await openWindow(app)
  expect(reasonOf(await finishWindow(app, window))).toBe('unusable-account')
  expect(reasonOf(await pressContinue(app, window))).toBe('sso-not-yet')
})

test.each(['server_error', 'temporarily_unavailable'])(
  'if the provider answers %s, the window and the frame say that it is not available, and the log has an error',
  async (error) => {
    const app = await startSso()
    const window = await openWindow(app)
    const callback = new URL(await visitProvider(window.address), app.origin)
    callback.searchParams.delete('code')
    callback.searchParams.set('error', error)
    const failed = await app.get(`${callback.pathname}${callback.search}`, { Cookie: window.cookie })
    expect([failed.status, reasonOf(failed)]).toEqual([503, 'unavailable'])
    const told = await pressContinue(app, window)
    expect([told.status, reasonOf(told)]).toEqual([503, 'unavailable'])
    const line = app.lines.find(({ outcome }) => outcome === 'sso-failed')
    expect([line?.level, JSON.stringify(line)]).toEqual([50, expect.stringContaining(error)])
  },
)

/** A provider that does not know the prompt, as its error says. */
async function startWithoutPrompt(error: string, refuses = (query: URLSearchParams) => query.has('prompt')) {
  const app = await startSso({
    provider: {
      instead(req, res) {
        const { pathname, searchParams } = new URL(req.url ?? '', 'http://provider')
        if (pathname !== '/auth' || !refuses(searchParams)) return false
        const answer = { error, state: searchParams.get('state') ?? '', iss: `http://${req.headers.host}` }
        const location = `${searchParams.get('redirect_uri')}?${new URLSearchParams(answer)}`
        res.writeHead(303, { location }).end()
        return true
      },
    },
  })
  const window = await openWindow(app, '', '?prompt=login')
  return { app, window, answer: await finishWindow(app, window) }
}

test.each(['invalid_request', 'account_selection_required', 'unsupported_prompt'])(
  'a provider that refuses the question for another account with %s is asked once without it',
  async (error) => {
    const { app, window, answer } = await startWithoutPrompt(error)
    const again = { ...window, address: refreshOf(answer), cookie: cookiesOf(answer) }
    expect([answer.status, new URL(again.address).searchParams.has('prompt')]).toEqual([200, false])
    expect((await finishWindow(app, again)).status).toBe(200)
    expect((await pressContinue(app, window)).status).toBe(303)
    const reason = `prompt refused: ${error}`
    expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'sso-started', reason }))
  },
)

test('a provider that refuses without the question too is asked only twice', async () => {
  const { app, window, answer } = await startWithoutPrompt('invalid_request', () => true)
  const again = { ...window, address: refreshOf(answer), cookie: cookiesOf(answer) }
  expect(reasonOf(await finishWindow(app, again))).toBe('refused')
})

test('a viewer who cancels the question for another account is not sent to the provider again', async () => {
  const { answer } = await startWithoutPrompt('access_denied')
  expect([reasonOf(answer), refreshOf(answer)]).toEqual(['refused', ''])
})

test('if the provider is away, the frame learns of it from the window, and does not blame pop-ups', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const callback = await visitProvider(window.address)
  app.provider.setAway(true)
  expect((await app.get(callback, { Cookie: window.cookie })).status).toBe(503)
  const told = await pressContinue(app, window)
  expect([told.status, reasonOf(told), told.text.includes('Contoso isn’t available')]).toEqual([
    503,
    'unavailable',
    true,
  ])
  expect(fieldOf(told, 'account')).toBe('')
})

test('if the window cannot begin, because the provider is unknown, the frame learns of it at once', async () => {
  const app = await startSso({ isProviderKnown: false })
  const screen = await app.get('/')
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  const status = await app.post('/sso/status', { wait: fieldOf(screen, 'wait') }, own)
  expect(JSON.parse(status.text)).toEqual({ status: 'ready' })
  const told = await pressContinue(app, { wait: fieldOf(screen, 'wait') })
  expect([told.status, reasonOf(told)]).toEqual([503, 'unavailable'])
})

test('the frame also learns that too many viewers come from the provider', async () => {
  const app = await startSso({
    changeSso: (sso) => ({
      ...sso,
      providerOf: (settings) => ({
        ...sso.providerOf(settings),
        signIn: () => Promise.reject(new OverloadedError('Too many viewers', 5)),
      }),
    }),
  })
  const window = await openWindow(app)
  expect(reasonOf(await finishWindow(app, window))).toBe('overloaded')
  const told = await pressContinue(app, window)
  expect([told.status, reasonOf(told)]).toEqual([503, 'unavailable'])
})

test('if Redis is away, the window does not say that the provider is', async () => {
  const away = () => Promise.reject(new UpstreamError('sso-store', 'Redis does not answer'))
  const app = await startSso({ changeSso: (sso) => ({ ...sso, flows: { ...sso.flows, take: away, put: away } }) })
  const flow = fieldOf(await app.get('/'), 'flow')
  const answers = [
    await app.post('/sso/start', { flow }, startHeaders(app)),
    await app.get('/sso/callback?code=c&state=s', { Cookie: 'sso-x=y' }),
  ]
  expect(answers.map((answer) => [answer.status, reasonOf(answer)])).toEqual(Array(2).fill([503, 'store-down']))
})

test('while the store is away, the questions of waiting frames leave no line in the log', async () => {
  const away = () => Promise.reject(new UpstreamError('sso-store', 'Redis does not answer'))
  const app = await startSso({ changeSso: (sso) => ({ ...sso, flows: { ...sso.flows, has: away } }) })
  const wait = fieldOf(await app.get('/'), 'wait')
  const ask = () => app.post('/sso/status', { wait }, { 'Sec-Fetch-Site': 'same-origin' })
  const answers = await Promise.all([ask(), ask(), ask()])
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(Array(3).fill([503, '5']))
  expect(app.lines.filter(({ event }) => event === 'sign-in')).toEqual([])
})
