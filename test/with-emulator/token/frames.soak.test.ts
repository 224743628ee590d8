import { afterAll, describe, expect, test } from 'vitest'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { OTHER_KEY_PEM } from '../../tools/emulator/token/token-service.ts'
import { isWebKit, type Kind, openBrowsers, type Viewer } from '../viewer.ts'
import { signIn, startTokenSites, type TokenSitesOptions } from './sites.ts'

/** Viewer tokens in every browser: faults between three sites, and sign-ins after them. */

const CHANNEL = 'embed/1001'
/** These browsers keep a session of the frame. WebKit keeps none. */
const WITH_SESSION: readonly Kind[] = ['chromium', 'firefox']
const WITHOUT_SESSION: readonly Kind[] = ['webkit', 'chromium-no-cookies', 'firefox-no-cookies']
const ALERT = '[role="alert"]'

let certificate: Certificate | undefined
const browsers = openBrowsers()
afterAll(() => browsers.close())

async function arrive(kind: Kind, options: TokenSitesOptions = {}) {
  // WebKit keeps no secure cookie over http.
  if (isWebKit(kind)) certificate ??= await makeCertificate()
  const sites = await startTokenSites({ ...options, certificate: isWebKit(kind) ? certificate : undefined })
  return { viewer: await browsers.arrive(kind, sites), sites }
}

/** Loads the page again. A browser with a session passes at once. */
async function openAgain(kind: Kind, viewer: Viewer): Promise<void> {
  await viewer.reload()
  if (!WITH_SESSION.includes(kind)) await signIn(viewer)
}

describe.each([...WITH_SESSION, ...WITHOUT_SESSION])('in %s', (kind) => {
  const again = WITH_SESSION.includes(kind) ? 'returned' : 'signed-in'

  test('a viewer cancels, mistypes, signs in and loads the page again', async () => {
    const { viewer, sites } = await arrive(kind)
    await viewer.openLogin(CHANNEL)
    await viewer.press('button.quiet')
    await viewer.press('a.primary')
    await signIn(viewer, 'not the password')
    await viewer.textOf(ALERT)
    await signIn(viewer)
    await viewer.untilPlaying()
    await openAgain(kind, viewer)
    await viewer.untilPlaying()
    await viewer.untilPlayerSays('ada@example.com')
    expect(sites.outcomes()).toEqual(['cancelled', 'wrong-credentials', 'signed-in', again])
    expect(viewer.complaints()).toEqual([])
  })

  test('player and chat open with a token of the customer’s backend, and ask for another one at a reload', async () => {
    const { viewer, sites } = await arrive(kind)
    const token = await sites.makeToken()
    await viewer.openLogin(`chat/1001?vt=${token}`)
    await viewer.untilPlayerSays('as ada@example.com')
    await viewer.openLogin(`${CHANNEL}?autoplay=1&vt=${token}`)
    await viewer.untilPlaying()
    expect(sites.outcomes()).toEqual([])
    await viewer.reload()
    await signIn(viewer)
    await viewer.untilPlaying()
    expect(sites.outcomes()).toEqual(['signed-in'])
    expect(viewer.complaints()).toEqual([])
  })
})

describe.each(WITH_SESSION)('with a session in %s', (kind) => {
  test('a service that refuses every token ends in a screen, and the video plays when the key is right', async () => {
    const { viewer, sites } = await arrive(kind)
    await sites.rotateServiceKey(0)
    await viewer.openLogin(CHANNEL)
    await signIn(viewer)
    await viewer.textOf(ALERT)
    expect(sites.outcomes()).toEqual(['signed-in', ...Array(3).fill('returned'), 'looping'])
    await sites.fetchServiceKeys()
    sites.passSeconds(11)
    await viewer.press('a.primary')
    await viewer.untilPlaying()
    expect(sites.outcomes().at(-1)).toBe('returned')
    expect(viewer.complaints()).toEqual([])
  })
})

test.each(WITHOUT_SESSION)('in %s, a refused token leads back to the form, not into a loop', async (kind) => {
  const { viewer, sites } = await arrive(kind)
  sites.setContentKey(OTHER_KEY_PEM)
  await viewer.openLogin(CHANNEL)
  await signIn(viewer)
  await expect.poll(sites.countRefusedTokens, { timeout: 20_000 }).toBe(1)
  await viewer.press('button.quiet')
  await viewer.textOf('a.primary')
  expect(sites.outcomes()).toEqual(['signed-in', 'cancelled'])
  expect(await sites.countRefusedTokens()).toBe(1)
})

test.each<Kind>(['chromium-no-scripts', 'firefox-no-scripts', 'webkit-no-scripts'])(
  'in %s, a viewer cancels and signs in, and the player gets a token',
  async (kind) => {
    const { viewer, sites } = await arrive(kind)
    await viewer.openLogin(CHANNEL)
    await viewer.press('button.quiet')
    await viewer.press('a.primary')
    await signIn(viewer)
    await viewer.untilPassed()
    expect(sites.outcomes()).toEqual(['cancelled', 'signed-in'])
  },
)

test.each<Kind>(['chromium', 'firefox', 'webkit'])(
  'in %s, the video plays without the script of the form',
  async (kind) => {
    const { viewer, sites } = await arrive(kind, { entryPoint: { hasScript: false } })
    await viewer.openLogin(CHANNEL)
    await signIn(viewer)
    await viewer.untilPlaying()
    expect(sites.outcomes()).toEqual(['signed-in'])
    expect(viewer.complaints()).toEqual([])
  },
)
