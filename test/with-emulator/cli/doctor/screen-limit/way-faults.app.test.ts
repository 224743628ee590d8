import { ADA } from '../../../../login/start-login-app.ts'
import { rowsFor } from '../../../../rows.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault } from '../faults/installation.ts'

type Settings = Readonly<Record<string, string>>

/** One screen for each viewer. A second viewer in the browser has the same account. */
const withLimit = (changed: Settings = {}): Pick<Fault, 'settings' | 'viewer'> => ({
  settings: () => ({ SCREENS_PER_VIEWER: '1', SCREENS: 'ask', HASH_LIFETIME_SECONDS: '600', ...changed }),
  async viewer({ type, press }) {
    await type({ '#password': ADA.password, '#username': ADA.username })
    await press('form[action$="/watch-here"] .primary')
  },
})
/** Someone else watches with the account. */
const watching: Pick<Fault, 'afterwards'> = { afterwards: ({ app }) => app.post('/sign-in', ADA) }

const TELLING: readonly Fault[] = [
  {
    name: 'control: one screen, and a second one asks',
    ...withLimit(),
    ...watching,
    findings: [],
    isHarmless: true,
  },
  {
    name: 'a firewall answers the button "Watch here"',
    ...withLimit(),
    ...watching,
    proxy: { instead: ({ url }, res) => url === '/watch-here' && Boolean(res.writeHead(403).end('<h1>No</h1>')) },
    findings: ['failure not-the-app'],
  },
  {
    name: 'a proxy removes the hidden fields of the button "Watch here"',
    ...withLimit(),
    ...watching,
    proxy: {
      text: (html) => html.replaceAll('<input type="hidden" name="pass"', '<input type="hidden" name="ticket"'),
    },
    findings: ['failure form-changed'],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'control: one screen, and a second one takes its place',
    ...withLimit({ SCREENS: 'newest' }),
    ...watching,
    findings: [],
    isHarmless: true,
  },
  {
    name: 'one screen, and a response that lives for an hour',
    ...withLimit({ SCREENS: 'newest', HASH_LIFETIME_SECONDS: '3600' }),
    findings: ['warning setting-doubtful'],
    isHarmless: true,
  },
  {
    name: 'one screen, and a proxy removes the cookies',
    ...withLimit({ SCREENS: 'newest' }),
    proxy: { answers: ({ 'set-cookie': _removed, ...headers }) => headers },
    findings: ['warning no-session-cookie'],
    isHarmless: true,
  },
  {
    name: 'one screen, and a proxy drops the forms',
    ...withLimit(),
    proxy: { dropsBody: true },
    findings: ['failure form-changed'],
  },
  {
    name: 'one of two copies of the app has one screen, and asks',
    ...withLimit(),
    ...watching,
    copy: {},
    findings: [],
    isHarmless: true,
  },
  {
    name: 'control: one screen with a brand, and the player twice on the page',
    ...withLimit({ BRAND_NAME: 'Lakeside' }),
    page: { html: (player) => `<iframe src="${player}"></iframe>`.repeat(2) },
    findings: [],
    isHarmless: true,
  },
]

testFaults('one viewer, one screen', rowsFor(TELLING, OTHERS))
