import { expect, test } from 'vitest'
import { CLIENT } from '../../../../features/sso/start-provider.ts'
import type { LogLine } from '../../../../login/start-login-app.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Installation } from '../faults/installation.ts'
import { NOT_TRIED, withProvider } from './provider.ts'

/** The hosts of providers that the app has asked. */
const isAppServed = new Set<string | undefined>()

const examine = testFaults('the app with single sign-on, and what is in front of it', [
  {
    name: 'the app runs without single sign-on',
    notForBrowsers: 'viewers have passwords too',
    ...withProvider(),
    appSettings: () => ({ OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }),
    findings: ['failure sso-no-button'],
  },
  {
    name: 'the app runs with another client',
    ...withProvider(),
    appSettings: () => ({ OIDC_CLIENT_ID: 'another' }),
    findings: ['failure sso-start-differs'],
  },
  {
    name: 'only the app cannot reach the provider',
    notForBrowsers: 'the app reaches it again',
    ...withProvider({
      instead(req, res) {
        // The doctor asks later.
        const isApp = req.url === '/.well-known/openid-configuration' && !isAppServed.has(req.headers.host)
        isAppServed.add(req.headers.host)
        if (isApp) res.writeHead(503).end()
        return isApp
      },
    }),
    findings: ['failure sso-unavailable'],
  },
  {
    name: 'a proxy changes the header Origin of single sign-on',
    ...withProvider(),
    proxy: { asks: (headers, { url }) => ({ ...headers, ...(url === '/sso/start' && { origin: 'http://backend' }) }) },
    findings: ['failure sso-foreign-origin'],
  },
  {
    name: 'a firewall answers the start of single sign-on',
    ...withProvider(),
    proxy: { instead: (req, res) => req.url === '/sso/start' && Boolean(res.writeHead(403).end('<h1>Forbidden</h1>')) },
    findings: ['failure sso-not-the-app'],
  },
  {
    name: 'a proxy removes the header Refresh',
    ...withProvider(),
    proxy: { answers: ({ refresh: _removed, ...headers }) => headers },
    findings: ['failure sso-refresh-removed'],
  },
  {
    name: 'a proxy removes the cookie of the window',
    ...withProvider(),
    proxy: { answers: ({ 'set-cookie': _removed, ...headers }) => headers },
    findings: ['failure sso-cookie-changed', 'warning no-session-cookie'],
  },
  {
    name: 'a proxy does not pass the cookie of the window',
    ...withProvider(),
    proxy: {
      asks: ({ cookie, ...rest }) => (cookie?.startsWith('sso-') ? rest : { ...rest, ...(cookie && { cookie }) }),
    },
    findings: ['failure sso-cookie-removed'],
  },
  {
    name: 'a proxy does not pass the callback',
    ...withProvider(),
    proxy: {
      instead: (req, res) => req.url?.startsWith('/sso/callback') === true && Boolean(res.writeHead(404).end()),
    },
    findings: ['failure sso-callback-hidden'],
  },
  { name: 'two copies of the app have no Redis', ...withProvider(), copy: {}, findings: ['failure sso-forgotten'] },
  {
    name: 'the entry point accepts no passwords',
    ...withProvider({}, { SSO_ONLY: 'on' }),
    findings: [NOT_TRIED, 'warning viewer-not-used'],
  },
  {
    name: 'the frame of the player lets no window open',
    ...withProvider(),
    page: {
      html: (player) =>
        `<iframe src="${player}" sandbox="allow-scripts allow-same-origin allow-forms allow-popups"></iframe>`,
    },
    findings: [NOT_TRIED, 'unknown page-sandbox-window'],
  },
])

test('the doctor leaves one refusal in the log, with its name, and shows no secret', async () => {
  let lines: readonly LogLine[] = []
  const afterwards = ({ app }: Installation) => {
    lines = app.lines
  }
  const { findings } = await examine({ name: 'none', ...withProvider(), afterwards, findings: [] })
  const signIns = lines.filter(({ event }) => event === 'sign-in')
  expect(signIns.filter(({ level }) => level !== 30)).toEqual([
    expect.objectContaining({ outcome: 'sso-refused', reason: 'provider-refused: doctor' }),
  ])
  expect(JSON.stringify(findings)).not.toContain(CLIENT.secret)
})
