import { expect, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { CLIENT } from './start-provider.ts'
import {
  fieldOf,
  openWindow,
  pressContinue,
  refreshOf,
  type SsoApp,
  startHeaders,
  startSso,
  visitProvider,
} from './start-sso.ts'

const ADA = { preferred_username: 'ada@example.com', groups: ['gold'] }
type Fault = (app: SsoApp, callback: URL) => unknown

/** A change before the callback, and its outcome in the log. */
const FAULTS: readonly (readonly [outcome: string, fault: Fault])[] = [
  ['sso-signed-in', () => {}],
  ['sso-refused', (_app, callback) => callback.searchParams.append('state', 'x')],
  ['sso-refused', (_app, callback) => callback.searchParams.set('iss', 'https://evil.example')],
  ['sso-refused', (_app, callback) => callback.searchParams.set('error', 'access_denied')],
  ['sso-refused', (_app, callback) => callback.searchParams.set('code', 'another')],
  ['sso-refused', ({ provider }) => provider.accounts.set('ada', { ...ADA, hasgroups: true })],
  ['sso-refused', ({ provider }) => provider.accounts.set('ada', { groups: ['gold'] })],
  ['sso-refused', ({ provider }) => provider.changeKey()],
  ['sso-failed', ({ provider }) => provider.setAway(true)],
]

test('no line of the log has a secret of a sign-in, whatever comes of it', async () => {
  const secrets = new Set([CLIENT.secret])
  let isStoreAway = false
  const app = await startSso({
    settings: { hasCode: true },
    // Equal lines are written too.
    repeatFilter: { isNew: () => true, end: () => {} },
    provider: {
      changeAnswer(answer, path) {
        if (path === '/token') for (const token of [answer.id_token, answer.access_token]) secrets.add(String(token))
        return answer
      },
    },
    changeSso: (sso) => ({
      ...sso,
      flows: {
        ...sso.flows,
        put(kind, key, record) {
          secrets.add(key)
          for (const value of Object.values(record as object))
            if (String(value).length === 43) secrets.add(String(value))
          if (!isStoreAway) return sso.flows.put(kind, key, record)
          return Promise.reject(new UpstreamError('sso-store', 'Redis does not answer'))
        },
      },
    }),
  })
  const outcomes: unknown[] = []
  for (const [outcome, fault] of FAULTS) {
    const known = app.lines.length
    const window = await openWindow(app)
    const callback = new URL(await visitProvider(window.address), app.origin)
    const { searchParams } = new URL(window.address)
    for (const name of ['state', 'nonce', 'code_challenge']) secrets.add(searchParams.get(name) ?? '')
    for (const text of [callback.searchParams.get('code'), window.wait, window.flow, window.cookie.split('=')[1]]) {
      secrets.add(text ?? '')
    }
    await fault(app, callback)
    await app.get(`${callback.pathname}${callback.search}`, { Cookie: window.cookie })
    await pressContinue(app, window)
    app.provider.setAway(false)
    app.provider.accounts.set('ada', ADA)
    const found = app.lines.slice(known).map((line) => line.outcome)
    if (!found.includes(outcome)) outcomes.push({ outcome, found })
  }
  await app.post('/sso/code', { code: 'SECRETCD' }, { 'Sec-Fetch-Site': 'same-origin' })
  secrets.add('SECRETCD')
  isStoreAway = true
  const flow = fieldOf(await app.get('/'), 'flow')
  expect(refreshOf(await app.post('/sso/start', { flow }, startHeaders(app)))).toBe('')
  const log = JSON.stringify(app.lines)
  expect([...secrets].filter((secret) => secret === '' || log.includes(secret))).toEqual([])
  // Each sign-in has about ten.
  expect(secrets.size).toBeGreaterThan(60)
  expect(outcomes).toEqual([])
})
