import { readConfig } from '../../../../../src/config.ts'
import { rowsFor } from '../../../../rows.ts'
import { cacheOf } from '../faults/cache.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault } from '../faults/installation.ts'
import { NOT_TRIED, withProvider } from './provider.ts'

const TELLING: readonly Fault[] = [
  {
    name: 'a firewall answers the button that goes on from the window',
    ...withProvider(),
    proxy: { instead: ({ url }, res) => url === '/sso/continue' && Boolean(res.writeHead(403).end('<h1>No</h1>')) },
    findings: ['failure not-the-app', NOT_TRIED],
  },
  {
    name: 'a proxy caches the sign-in screen with single sign-on',
    notForBrowsers: 'a viewer gets the screen of another, and signs in on it',
    ...withProvider(),
    proxy: cacheOf(/^\/(?:\?|$)/),
    findings: ['failure screen-cached', NOT_TRIED],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'a proxy renames the secret of the frame',
    ...withProvider(),
    proxy: { text: (html) => html.replaceAll('name="wait"', 'name="delay"') },
    findings: ['failure form-fields-changed'],
  },
  {
    name: 'one of two copies of the app has no single sign-on',
    notForBrowsers: 'viewers have passwords too',
    ...withProvider(),
    copy: (all) => ({
      entryPoints: readConfig({ ...all, OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }).entryPoints,
    }),
    findings: ['failure sso-no-button'],
  },
  {
    name: 'control: single sign-on is the second way in',
    ...withProvider({}, { FIRST_WAY: 'password' }),
    findings: [NOT_TRIED],
  },
  {
    name: 'control: single sign-on with a label, a brand and a link for help',
    ...withProvider({}, { OIDC_LABEL: 'Contoso', BRAND_NAME: 'Lakeside', HELP_URL: 'https://help.example/' }),
    findings: [NOT_TRIED],
  },
]

testFaults('single sign-on, and what is in front of its screens', rowsFor(TELLING, OTHERS))
