import type { Frame } from 'puppeteer-core'
import { openEditableSqliteStore } from '../../../../../src/users/sqlite/editable-store.ts'
import { openPasskeyWindow } from '../../../../browser/passkey-window.ts'
import { press, pressKey, typeText } from '../../../../browser/press-and-type.ts'
import { ADA } from '../../../../login/start-login-app.ts'
import { rowsFor } from '../../../../rows.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { BadProxy, Fault, Hand } from '../faults/installation.ts'

/** An entry point with passkeys. A viewer creates one with the password, in the window. */
function withPasskeys(changed: Readonly<Record<string, string>> = {}): Pick<Fault, 'settings' | 'app' | 'viewer'> {
  let file = ''
  const started = new WeakSet<Frame>()
  return {
    settings({ USER_STORE_URL = '' }) {
      file = USER_STORE_URL.replace('sqlite:', '')
      return { PASSKEYS: 'on', FIRST_WAY: 'passkeys', ...changed }
    },
    async app() {
      const users = openEditableSqliteStore(file)
      await users.add({ username: ADA.username, groups: [], attributes: {} }, ADA.password)
      return { users }
    },
    async viewer({ screen, type }: Hand) {
      if (started.has(screen) || (await screen.$('#sso-start')) === null) return
      started.add(screen)
      // The sign-in began.
      await type({ '#sso-start': '' })
      await createPasskey(screen)
    },
  }
}

async function createPasskey(screen: Frame): Promise<void> {
  const { window } = await openPasskeyWindow(screen.page().browser(), () => press(screen, '[form="sso-start"]'))
  const frame = window.mainFrame()
  const shown = await frame.waitForSelector('#username', { visible: true, timeout: 5_000 }).catch(() => null)
  if (shown === null) return
  await typeText(frame, '#username', ADA.username)
  await typeText(frame, '#password', ADA.password)
  await pressKey(frame, '#password')
}

const blocking = (path: string): Pick<Fault, 'proxy'> => ({
  proxy: { instead: ({ url }, res) => url === path && Boolean(res.writeHead(403).end('<h1>Forbidden</h1>')) },
})
const adding = (added: Readonly<Record<string, string>>, path = '/passkey/'): { readonly proxy: BadProxy } => ({
  proxy: { answers: (headers, { url }) => (url?.startsWith(path) ? { ...headers, ...added } : headers) },
})

const TELLING: readonly Fault[] = [
  { name: 'control: passkeys beside passwords', ...withPasskeys(), findings: [], isHarmless: true },
  {
    name: 'a firewall answers the window for passkeys',
    ...withPasskeys(),
    ...blocking('/passkey/start'),
    findings: ['failure passkey-window'],
  },
  {
    name: 'a firewall answers the new passkey',
    ...withPasskeys(),
    ...blocking('/passkey/create'),
    findings: ['failure not-the-app'],
  },
  {
    name: 'a proxy forbids passkeys with a Permissions-Policy',
    ...withPasskeys(),
    ...adding({ 'permissions-policy': 'publickey-credentials-create=(), publickey-credentials-get=()' }),
    findings: ['failure passkey-window'],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'a firewall answers the button that goes on from the window',
    ...withPasskeys(),
    ...blocking('/sso/continue'),
    findings: ['failure not-the-app'],
  },
  {
    name: 'a proxy removes the cookies of the window for passkeys',
    ...withPasskeys(),
    proxy: { answers: ({ 'set-cookie': _removed, ...headers }) => headers },
    findings: ['failure passkey-window', 'warning no-session-cookie'],
  },
  {
    name: 'a proxy forbids the script of the window for passkeys',
    ...withPasskeys(),
    ...adding({ 'content-security-policy': "script-src 'none'" }),
    findings: ['failure passkey-window'],
  },
  {
    name: 'the script of the window for passkeys is missing',
    ...withPasskeys(),
    proxy: { instead: ({ url }, res) => /passkeys[^/]*\.js/.test(url ?? '') && Boolean(res.writeHead(404).end()) },
    findings: ['failure passkey-window'],
  },
  {
    name: 'a proxy renames the hidden fields of the screen for passkeys',
    ...withPasskeys(),
    proxy: { text: (html) => html.replaceAll('name="flow"', 'name="state"') },
    findings: ['failure form-fields-changed'],
  },
  {
    name: 'the frame of the player lets no window open',
    ...withPasskeys(),
    page: {
      html: (player) => `<iframe src="${player}" sandbox="allow-scripts allow-same-origin allow-forms"></iframe>`,
    },
    findings: ['failure page-sandbox-window'],
  },
  {
    name: 'control: passkeys with a brand, and a proxy that isolates windows',
    ...withPasskeys({ BRAND_NAME: 'Lakeside' }),
    ...adding({ 'cross-origin-opener-policy': 'same-origin' }),
    findings: [],
    isHarmless: true,
  },
]

testFaults('passkeys', rowsFor(TELLING, OTHERS))
