import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../../src/tools/emulator/sso/start-provider.ts'
import { openPasskeyWindow } from '../../browser/passkey-window.ts'
import { typeText } from '../../browser/press-and-type.ts'
import { startPasskeys } from '../../features/passkeys/start-passkeys.ts'
import { withSso } from '../../features/sso/entry-point.ts'
import { CLIENT } from '../../features/sso/start-provider.ts'
import { startAppWithSso } from '../../features/sso/start-sso.ts'
import { tokenEntryPoint } from '../../features/token/entry-point.ts'
import { ADA, START_SECONDS } from '../../login/start-login-app.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { openBrowsers } from '../viewer.ts'
import { type AppOptions, startTokenSites } from './sites.ts'

/** Sign-ins in a window of their own, for a player that takes tokens. */

const browsers = openBrowsers()
afterAll(() => browsers.close())

async function startWithSso({ publicUrl, entryPoints: [entryPoint], port, ...options }: AppOptions) {
  const clients = [{ ...CLIENT, redirectUris: [`${publicUrl}/sso/callback`] }]
  const provider = await startProvider({ port: 0, clients, coop: 'same-origin' })
  onTestFinished(() => provider.close())
  const app = await startAppWithSso(provider.issuer, port, {
    ...options,
    origin: publicUrl,
    entryPointsWith: (sso) => [withSso(sso, entryPoint)],
  })
  return { ...app, issuer: provider.issuer }
}

test.each(['chromium', 'firefox', 'webkit'] as const)(
  'in %s, the video plays after single sign-on in a window, and again after a reload',
  async (kind) => {
    // WebKit keeps no secure cookie over http.
    const certificate = kind === 'webkit' ? await makeCertificate() : undefined
    const sites = await startTokenSites({ startApp: startWithSso, certificate })
    const viewer = await browsers.arrive(kind, sites)
    const start = '#sso-start .primary'
    await viewer.openLogin('embed/1001')
    await viewer.press(start)
    await viewer.choose('ada')
    await expect.poll(() => viewer.countWindows(), { timeout: 20_000, interval: 50 }).toBe(1)
    await viewer.goBack()
    await viewer.untilPlaying()
    await viewer.reload()
    // WebKit keeps no session of the frame, but the provider knows the viewer.
    if (kind === 'webkit') await viewer.press(start)
    await viewer.untilPlaying()
    const first = ['sso-started', 'sso-signed-in', 'signed-in']
    expect(sites.outcomes()).toEqual([...first, ...(kind === 'webkit' ? first.slice(1) : ['returned'])])
    expect(viewer.complaints()).toEqual([])
  },
)

test('in chromium, the video plays after a viewer creates a passkey in a window', async () => {
  const sites = await startTokenSites({
    // The app with passkeys has this clock.
    now: () => START_SECONDS,
    entryPoint: { features: { ...tokenEntryPoint().features, passkeys: {} } },
    startApp: startPasskeys,
  })
  const viewer = await browsers.arrive('chromium', sites)
  const { browser } = await browsers.open('chromium')
  await viewer.openLogin('embed/1001')
  const openWindow = (selector: string) => openPasskeyWindow(browser, async () => void (await viewer.press(selector)))
  await (await openWindow('#use-passkey')).window.close()
  await viewer.goBack()
  const { window } = await openWindow('[form="sso-start"]')
  await typeText(window.mainFrame(), '#username', ADA.username)
  await typeText(window.mainFrame(), '#password', ADA.password)
  const closed = new Promise((resolve) => window.once('close', resolve))
  await window.keyboard.press('Enter')
  await closed
  await viewer.goBack()
  await viewer.untilPlaying()
  expect(sites.outcomes()).toEqual(['passkey-started', 'passkey-added', 'passkey-signed-in', 'signed-in'])
  expect(viewer.complaints()).toEqual([])
})
