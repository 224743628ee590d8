import { openCodes } from '../../../../features/access-codes/codes-app.ts'
import { rowsFor } from '../../../../rows.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault } from '../faults/installation.ts'
import { loseGuestStore } from '../faults/lose-guest-store.ts'
import { withCodes } from './code-way.ts'

const OTHER_KEY = 'another-access-code-key-5e17'
const YESTERDAY = Math.floor(Date.now() / 1000) - 86_400
const BOTH = [...withCodes().tries, '--viewer', 'ada@example.com']

const TELLING: readonly Fault[] = [
  { name: 'control: an access code is the only way in', ...withCodes(), findings: [], isHarmless: true },
  {
    name: 'the app has another key of access codes',
    ...withCodes(),
    appSettings: () => ({ ACCESS_CODE_KEY: OTHER_KEY }),
    findings: ['failure code-wrong'],
  },
  {
    name: 'a proxy renames the field for the access code',
    ...withCodes(),
    proxy: { text: (html) => html.replaceAll('name="code"', 'name="ticket"') },
    findings: ['failure form-fields-changed'],
  },
  {
    name: 'a proxy changes the address of the form for the access code',
    ...withCodes(),
    proxy: { text: (html) => html.replaceAll('action="/access-code"', 'action="/login/access-code"') },
    findings: ['failure form-action-changed'],
  },
  {
    name: 'a firewall answers the form with the access code',
    ...withCodes(),
    proxy: { instead: (req, res) => req.url === '/access-code' && Boolean(res.writeHead(403).end('<h1>No</h1>')) },
    findings: ['failure not-the-app'],
  },
  {
    name: 'the guests store has lost its table',
    ...withCodes(),
    afterwards: loseGuestStore,
    findings: ['failure guests-away'],
  },
  {
    name: 'passwords work, and the key of the access codes is another one',
    ...withCodes({ PASSWORD_FORM: 'on', FIRST_WAY: 'access-codes' }),
    tries: BOTH,
    appSettings: () => ({ ACCESS_CODE_KEY: OTHER_KEY }),
    findings: ['failure code-wrong'],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'the access code is revoked',
    ...withCodes({}, { revokedAtSeconds: YESTERDAY }),
    findings: ['failure code-ended'],
  },
  {
    name: 'the access code has ended',
    ...withCodes({}, { endsAtSeconds: YESTERDAY }),
    findings: ['failure code-ended'],
  },
  {
    name: 'the access code is of another entry point',
    ...withCodes({}, { entryPoint: 'gala' }),
    findings: ['failure code-wrong'],
  },
  {
    name: 'all places of the access code are taken',
    ...withCodes({}, { isShared: true, most: 1 }),
    afterwards: ({ app, env }) => app.post('/access-code', { code: env.VIEWER_CODE ?? '' }),
    findings: ['failure code-full'],
  },
  {
    name: 'guests with an access code are in none of the groups',
    ...withCodes({ ALLOWED_GROUPS: 'gold' }),
    findings: ['failure not-in-group'],
  },
  {
    name: 'a proxy drops the form with the access code',
    ...withCodes(),
    proxy: { dropsBody: true },
    findings: ['failure form-changed'],
  },
  {
    name: 'one of two copies of the app has another guests store',
    ...withCodes(),
    copy: () => ({ featureSettings: { guests: { store: { kind: 'sqlite', file: openCodes().file } } } }),
    findings: ['failure copies-differ'],
  },
  {
    name: 'no access code is tried beside the password',
    ...withCodes({ PASSWORD_FORM: 'on', FIRST_WAY: 'access-codes' }),
    tries: ['--viewer', 'ada@example.com'],
    findings: ['unknown no-sign-in'],
  },
  {
    name: 'control: access codes beside passwords, and both are tried',
    ...withCodes({ PASSWORD_FORM: 'on', FIRST_WAY: 'access-codes' }),
    tries: BOTH,
    findings: [],
    isHarmless: true,
  },
  {
    name: 'control: access codes with a name',
    ...withCodes({ ACCESS_CODE_NAME: 'required' }),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'control: access codes with a brand, a color and a link for help',
    ...withCodes({ BRAND_NAME: 'Lakeside', BRAND_COLOR: '#0044aa', HELP_URL: 'https://help.example/' }),
    findings: [],
    isHarmless: true,
  },
]

testFaults('access codes', rowsFor(TELLING, OTHERS))
