import type { Frame } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import { type BrowserKind, launchBrowser } from '../browser/launch.ts'
import { pressKey, typeText } from '../browser/press-and-type.ts'
import { rowsFor } from '../rows.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { responseOf } from './response-of.ts'
import { ADA, startLoginApp } from './start-login-app.ts'
import { startSite } from './start-site.ts'

const KINDS = rowsFor<BrowserKind>(['chromium'], ['chromium-no-scripts', 'firefox', 'firefox-no-scripts'])
const BOB = { username: 'bob@example.com', password: 'bob’s own' }
const CONTINUE = 'form[action$="/continue"] button'

/** The login app at http://localhost, and a player that frames the address in its query. */
async function startSites() {
  let login = ''
  const player = await startSite((address) => {
    const framed = new URL(address, 'http://player').searchParams.get('frame')
    const frame = framed === null ? '' : `<iframe width="480" height="360" src="${login}${framed}"></iframe>`
    return `<!doctype html><title>Player</title>${frame}`
  })
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const shared = { ...ENTRY_POINT, playerAddress, playerOrigins: [player] }
  const app = await startLoginApp({
    publicUrl: 'http://localhost',
    entryPoints: [{ ...shared, name: 'plain', basePath: '/e/plain' }],
    nowSeconds: () => Date.now() / 1000,
  })
  app.users.add(BOB.username, BOB.password)
  login = `http://localhost:${app.port}`
  return { login, player }
}

async function signIn(screen: Frame, { username, password }: typeof ADA): Promise<void> {
  await typeText(screen, '#username', username)
  await typeText(screen, '#password', password)
  await pressKey(screen, '#sign-in .primary')
}

test.each(KINDS)(
  'a viewer in %s can continue, use another account, and leave no session on a shared device',
  async (kind) => {
    const { login, player } = await startSites()
    const launched = await launchBrowser(kind)
    try {
      const { page, waitForFrame, complaints } = await launched.openPage()
      const open = async (address: string) => {
        await page.goto(`${player}/?frame=${encodeURIComponent(address)}`)
        return await waitForFrame(login)
      }
      const arrivedAs = async () => {
        const frame = await waitForFrame(`${player}/embed/hashlock/pass?hash=`)
        return responseOf(frame.url()).parameters[0]?.[1]
      }

      await signIn(await open('/e/plain'), ADA)
      expect(await arrivedAs()).toBe(ADA.username)

      const choice = await open('/e/plain?prompt=login&ustreamContentId=7')
      await pressKey(choice, 'summary')
      await signIn(choice, { ...BOB, password: 'wrong' })
      // With the script, the mistake is shown in the same page.
      const shown = () => page.frames().find((frame) => frame.url().startsWith(login)) ?? expect.unreachable()
      await expect
        .poll(
          () =>
            shown()
              .$('[role="alert"]')
              .catch(() => null),
          { timeout: 20_000 },
        )
        .not.toBeNull()
      await pressKey(shown(), CONTINUE)
      expect(await arrivedAs()).toBe(ADA.username)

      const change = await open('/e/plain?prompt=login')
      await pressKey(change, 'summary')
      await signIn(change, BOB)
      expect(await arrivedAs()).toBe(BOB.username)

      const shared = await open('/e/plain?prompt=login')
      await pressKey(shared, 'summary')
      await pressKey(shared, '[name="shared"]', ' ')
      await signIn(shared, ADA)
      expect(await arrivedAs()).toBe(ADA.username)
      const nextPerson = await open('/e/plain')
      expect(await nextPerson.$(CONTINUE)).toBeNull()
      await signIn(nextPerson, BOB)
      expect(await arrivedAs()).toBe(BOB.username)
      expect(complaints).toEqual([])
    } finally {
      await launched.close()
    }
  },
)
