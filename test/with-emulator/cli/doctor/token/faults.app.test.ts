import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicKeyPem } from '../../../../../src/features/token/viewer-token/content-key.ts'
import { removeViewerAuth, setViewerAuth } from '../../../../../src/tools/video-service/token/viewer-auth.ts'
import { STORE_DOWN } from '../../../../login/memory-users.ts'
import { startService } from '../../../../tools/video-service/test-service.ts'
import { apiOf } from '../../../video-service/client.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault, Installation } from '../faults/installation.ts'
import { withProvider } from '../sso/provider.ts'
import { CONTENT_KEY, tokenSettings } from './token-settings.ts'

type Settings = Readonly<Record<string, string>>

const CHANNEL = { kind: 'channel', id: '1002' } as const
const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const pemOf = (key: ReturnType<typeof newKey>) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const OTHER_KEY = newKey()

/** An installation with one entry point with tokens, and nothing wrong. */
const withTokens = (change: (origin: string) => Settings = () => ({})): Pick<Fault, 'settings'> => ({
  settings: (all) => ({ ...tokenSettings(all), ...change(new URL(all.PLAYER_RETURN_URL ?? '').origin) }),
})

/** The same with an entry point with a hash beside it. */
const withBoth: Pick<Fault, 'settings'> = {
  settings: (all) => {
    const { PLAYER_RETURN_URL: playerReturnUrl = '', HASH_SECRET: secret, USER_STORE_URL = '' } = all
    const { origin } = new URL(playerReturnUrl)
    const playerOrigins = all.PLAYER_ORIGINS?.split(',')
    const tokens = { viewerAuth: 'token', contentKey: CONTENT_KEY, refAddresses: [`${origin}/embed/`] }
    const entryPoints = [
      { name: 'default', secret, playerReturnUrl, playerOrigins },
      { name: 'tokens', playerOrigins, ...tokens, serviceViewerKeyUrl: `${origin}/viewer-auth-public-key.json` },
    ]
    const file = join(USER_STORE_URL.replace('sqlite:', ''), '../entry-points.json')
    writeFileSync(file, JSON.stringify(entryPoints), { mode: 0o600 })
    return { ENTRY_POINTS_FILE: file, HASH_SECRET: '', PLAYER_RETURN_URL: '', PLAYER_ORIGINS: '' }
  },
}

/** Sets viewer auth from elsewhere, without `lock set` of this machine. */
const setElsewhere = ({ emulator, env }: Installation, changed: { authUrl?: string; publicKey?: string } = {}) =>
  setViewerAuth(apiOf(emulator), CHANNEL, {
    authUrl: `${env.PUBLIC_URL}/`,
    publicKey: publicKeyPem(OTHER_KEY),
    ...changed,
  })

/** The viewer auth of the second entry point of `withBoth`. */
const tokensOf = ({ env }: Installation) => ({
  authUrl: `${env.PUBLIC_URL}/e/tokens`,
  publicKey: publicKeyPem(createPrivateKey(CONTENT_KEY)),
})

/** An app whose clock differs by so much. */
const ahead = (seconds: number): Pick<Fault, 'app' | 'proxy'> => ({
  app: () => ({ nowSeconds: () => Date.now() / 1000 + seconds }),
  proxy: {
    answers: ({ date, ...headers }) => ({ ...headers, date: new Date(Date.now() + seconds * 1000).toUTCString() }),
  },
})

/** Passes the keys of the service on while `isOn`. */
function switchedKeys(isOn: () => boolean): Pick<Fault, 'settings'> {
  return {
    settings: async (all) => {
      const settings = tokenSettings(all)
      const pass = async (_req: IncomingMessage, res: ServerResponse) => {
        if (isOn()) res.end(await (await fetch(settings.SERVICE_VIEWER_KEY_URL)).text())
        else res.writeHead(404).end()
      }
      const { origin } = await startService((req, res) => void pass(req, res))
      return { ...settings, SERVICE_VIEWER_KEY_URL: `${origin}/keys.json` }
    },
  }
}

/** Keys of the service that come or go after the start of the app. */
function keysLater(isOnAtStart: boolean): Pick<Fault, 'settings' | 'afterwards'> {
  let isOn = isOnAtStart
  const afterwards = () => {
    isOn = !isOnAtStart
  }
  return { ...switchedKeys(() => isOn), afterwards }
}

const WITHOUT_SSO = { OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '', SSO_ONLY: '' }
/** Single sign-on alone, beside tokens. */
const withSsoOnly: Pick<Fault, 'settings'> = {
  settings: async (all) => ({ ...tokenSettings(all), ...(await withProvider({}, { SSO_ONLY: 'on' }).settings?.(all)) }),
}

const examine = testFaults('entry points with tokens', [
  {
    name: 'the service got another public key',
    ...withTokens(),
    afterwards: (installation) => setElsewhere(installation),
    findings: ['failure viewer-auth-key'],
  },
  {
    name: 'the app runs with another content key',
    ...withTokens(),
    appSettings: () => ({ CONTENT_KEY: pemOf(OTHER_KEY) }),
    findings: ['failure token-refused'],
  },
  {
    name: 'the clock of the app is ahead',
    ...withTokens(),
    ...ahead(60),
    findings: ['warning copy-clock', 'failure token-clock-ahead'],
  },
  {
    name: 'the clock of the app is behind',
    ...withTokens(),
    ...ahead(-120),
    findings: ['warning copy-clock', 'failure token-clock-behind'],
  },
  {
    name: 'the clock of the app is almost too far behind',
    ...withTokens(),
    ...ahead(-45),
    findings: ['warning copy-clock', 'warning token-clocks-differ'],
    isHarmless: true,
  },
  {
    name: 'the address of the keys is mistyped',
    ...withTokens((origin) => ({ SERVICE_VIEWER_KEY_URL: `${origin}/viewer-auth-key.json` })),
    findings: ['failure service-keys'],
  },
  {
    name: 'the user store is away, and the keys of the service are not',
    ...withTokens(),
    afterwards: ({ users }) => users.fail(STORE_DOWN),
    findings: ['failure store-away', 'failure store-away'],
  },
  {
    name: 'the address of the keys is that of another service',
    settings: async (all) => {
      const jwk = { ...OTHER_KEY.export({ format: 'jwk' }), d: undefined, kid: 'other', use: 'enc' }
      const { origin } = await startService((_req, res) => void res.end(JSON.stringify({ keys: [jwk] })))
      return { ...tokenSettings(all), SERVICE_VIEWER_KEY_URL: `${origin}/viewer-auth-public-key.json` }
    },
    findings: ['failure service-keys-differ'],
  },
  {
    name: 'the keys of the service are away since the start of the app',
    ...keysLater(true),
    findings: ['warning service-keys-kept', 'unknown viewer-auth-unproven'],
  },
  {
    name: 'the app cannot fetch the keys of the service',
    ...keysLater(false),
    findings: ['failure app-without-service-keys'],
  },
  {
    name: 'the player is not in REF_ADDRESSES',
    ...withTokens((origin) => ({ REF_ADDRESSES: `${origin}/embed/recorded/` })),
    findings: ['failure ref-not-listed'],
  },
  {
    name: 'the app does not know the address of the player yet',
    ...withTokens(),
    appSettings: () => ({ REF_ADDRESSES: 'https://other.example/embed/' }),
    findings: ['failure ref-refused'],
  },
  {
    name: 'the channel or video has no viewer auth',
    ...withTokens(),
    afterwards: ({ run }) => run('lock', 'remove', '--channel', '1002', '--viewer-auth', 'token', '--yes'),
    findings: ['failure player-asks-nothing'],
  },
  {
    name: 'viewer auth was removed elsewhere',
    ...withTokens(),
    afterwards: ({ emulator }) => removeViewerAuth(apiOf(emulator), CHANNEL),
    findings: ['unknown player-asks-nothing'],
  },
  {
    name: 'viewer auth leads to another app',
    ...withTokens(),
    afterwards: (installation) => setElsewhere(installation, { authUrl: 'https://other.invalid/' }),
    findings: ['failure viewer-auth-elsewhere'],
  },
  {
    name: 'PLAYER_ORIGINS lacks the page with tokens',
    ...withTokens((origin) => ({ PLAYER_ORIGINS: origin })),
    findings: ['failure page-origin-missing'],
  },
  {
    name: 'frame-src of the page has the player, and not the login app',
    ...withTokens(),
    page: { headers: { 'content-security-policy': 'frame-src http://127.0.0.1:1' } },
    findings: ['failure page-frame-src'],
  },
  {
    name: 'both versions are in the settings, and this machine has no record of viewer auth',
    ...withBoth,
    afterwards: (installation) => setElsewhere(installation, tokensOf(installation)),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'both versions are in the settings, and there is no lock',
    ...withBoth,
    afterwards: async ({ emulator, run }) => {
      await run('lock', 'remove', '--channel', '1002', '--yes')
      await removeViewerAuth(apiOf(emulator), CHANNEL).catch(() => {})
    },
    findings: ['failure player-asks-nothing', 'unknown player-frame-src'],
  },
  {
    name: 'the app runs with tokens, and without single sign-on',
    notForBrowsers: 'viewers have passwords too',
    ...withSsoOnly,
    appSettings: () => WITHOUT_SSO,
    findings: ['failure sso-no-button', 'warning viewer-not-used'],
  },
  {
    name: 'the viewer lacks the attribute that becomes sub',
    ...withTokens(() => ({ TOKEN_SUBJECT: 'seat' })),
    findings: ['failure attribute-unusable'],
  },
])

test('without a fault, viewers will get through, and no token is shown', async () => {
  const { verdict, findings } = await examine({ name: 'none', ...withTokens(), findings: [] })
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(findings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['viewer-auth-proven', 'page', 'signed-in', 'viewer-returns']),
  )
  expect(verdict).toBe('Viewers will get through.')
  expect(JSON.stringify(findings)).not.toContain('eyJ')
})
