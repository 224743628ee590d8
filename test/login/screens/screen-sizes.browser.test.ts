import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorText, type Language } from '../../../src/languages/languages.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { press, type } from '../../browser/press-and-type.ts'
import { ADA, startLoginApp } from '../start-login-app.ts'

const FOLDER = fileURLToPath(new URL('../../../views/languages', import.meta.url))
const LANGUAGES = readdirSync(FOLDER).map((file) => file.replace('.json', '') as Language)
/** The messages that the sign-in form shows above its fields, without the one for a wrong password. */
const OTHER_REFUSALS = [
  'disabled',
  'expiredPassword',
  'notFromOwnPage',
  'tooManyTries',
  'tooManyTriesMinutes',
  'overloaded',
  'storeDown',
  'unreadableText',
  'badForm',
] as const
/** After this many responses in a row, a screen says that the player does not accept them. */
const RESPONSES_BEFORE_THE_LOOP = 3

/** How much a page overflows its window, in CSS pixels. */
const EXCESS = `(({ scrollWidth, scrollHeight }) => [scrollWidth - innerWidth, scrollHeight - innerHeight])(document.documentElement)`

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

describe.each([
  [320, 180],
  [480, 270],
  [640, 360],
])('in a player of %i × %i', (width, height) => {
  test.each(LANGUAGES)(
    `every screen of a sign-in fits into ${width} × ${height} pixels in the language %s`,
    async (language) => {
      const app = await startLoginApp({ publicUrl: 'http://localhost' })
      const login = `http://localhost:${app.port}`
      const { page } = await browser.openPage()
      await page.setViewport({ width, height })
      await page.setExtraHTTPHeaders({ 'Accept-Language': language })
      const excess: Record<string, unknown> = {}
      const look = async (screen: string) => {
        excess[screen] = await page.evaluate(EXCESS)
      }

      await page.goto(login)
      await look('signing in')
      await type(page.mainFrame(), '#username', ADA.username)
      await type(page.mainFrame(), '#password', 'not the password')
      await press(page.mainFrame(), '#sign-in .primary')
      await page.waitForSelector('[role="alert"]')
      await look('a wrong password')
      for (const key of OTHER_REFUSALS) {
        const message = errorText(language, key, { count: 60 })
        await page.$eval('[role="alert"]', (alert, text) => alert.replaceChildren(text), message)
        await look(key)
      }

      const { setCookies } = await app.post('/sign-in', ADA, { Origin: 'http://localhost' })
      const [name = '', value = ''] = setCookies[0]?.split(/[=;]/) ?? []
      await browser.browser.setCookie({ name, value, domain: 'localhost', secure: true })
      await page.goto(`${login}/?prompt=login`)
      expect(await page.$('.sign-out')).not.toBeNull()
      await look('signed in already')
      for (let times = 0; times < RESPONSES_BEFORE_THE_LOOP; times += 1) {
        await app.get('/', { Cookie: `${name}=${value}` })
      }
      expect((await page.goto(login))?.status()).toBe(409)
      await look('the player does not accept the login')

      expect(excess).toEqual(Object.fromEntries(Object.keys(excess).map((screen) => [screen, [0, 0]])))
      await browser.browser.deleteMatchingCookies({ name, domain: 'localhost' })
      await page.close()
    },
  )
})
