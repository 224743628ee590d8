import { expect, test } from 'vitest'
import { findGeometryFaults } from '../../browser/find-geometry-faults.ts'
import { launchBrowser } from '../../browser/launch.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { BRANDS, LANGUAGES } from '../../login/screens/every-screen.ts'
import { ADA } from '../../login/start-login-app.ts'
import { rowsFor } from '../../rows.ts'
import { tokenIn } from '../../services/mail/mail-server.ts'
import { type AccountApp, startAccountApp } from './start-account-app.ts'

/** A window, a phone, and windows of 1280 × 720 and 1280 × 1024 at a zoom of 400 %. */
const SIZES = rowsFor(
  [
    { width: 1280, height: 720, leastTarget: 24, mostScroll: 0 },
    { width: 375, height: 667, leastTarget: 44, mostScroll: 0 },
    { width: 320, height: 180, leastTarget: 24, mostScroll: 2_000 },
  ],
  [{ width: 320, height: 256, leastTarget: 24, mostScroll: 2_000 }],
)

/** Languages with long words, and another direction. */
const TRIED = rowsFor(
  LANGUAGES.filter((language) => ['ar', 'de', 'fr'].includes(language)),
  LANGUAGES.filter((language) => !['ar', 'de', 'fr'].includes(language)),
)

/** Returns every page on which a viewer sets a password, in one language. */
async function everyPage(app: AccountApp, lang: string, token: string): Promise<string[]> {
  const of = async (path: string) => (await app.get(`/account/${path}?lang=${lang}&token=${token}`)).text
  const after = async (path: string, fields: Record<string, string>) =>
    (await app.post(`/account/${path}`, { lang, ...fields })).text
  const short = { newPassword: 'short', repeatPassword: 'short' }
  return [
    await of('forgot'),
    await after('forgot', { username: '' }),
    await after('forgot', { username: 'unknown@example.com' }),
    await of('new-password'),
    await after('new-password', { token, ...short }),
    await after('new-password', { token: 'unknown', ...short }),
    await of('change-password'),
    await after('change-password', { ...ADA, ...short }),
  ]
}

/** Returns the page after a new password, in each language. Each new password ends the links. */
async function savedPages(app: AccountApp): Promise<string[]> {
  const pages: string[] = []
  let { password } = ADA
  for (const lang of TRIED) {
    const newPassword = `${lang} heron ladder ${lang}`
    const fields = { username: ADA.username, password, newPassword, repeatPassword: newPassword }
    pages.push((await app.post('/account/change-password', { lang, ...fields })).text)
    password = newPassword
  }
  return pages
}

test.each(rowsFor<keyof typeof BRANDS>(['wordmark'], ['unbranded']))(
  'the pages of the account fit windows and phones in their languages, %s: nothing scrolls, is cut off or overlaps',
  async (brand) => {
    const entryPoints = [
      { ...ENTRY_POINT, brand: BRANDS[brand], features: { 'watch-page': 'https://www.example.com/live' } },
    ]
    const app = await startAccountApp({ publicUrl: 'http://localhost', entryPoints })
    await app.post('/account/forgot', { username: ADA.username })
    const [mail] = await app.mail.received(1)
    const token = tokenIn(mail ?? expect.unreachable())
    const pages: string[] = []
    for (const language of TRIED) pages.push(...(await everyPage(app, language, token)))
    pages.push(...(await savedPages(app)))
    expect(new Set(pages.map((html) => /<h1>(.*?)<.h1>/.exec(html)?.[1])).size).toBeGreaterThan(5 * TRIED.length)
    const launched = await launchBrowser('chromium')
    try {
      const { page } = await launched.openPage()
      await page.goto(`http://localhost:${app.port}/account/forgot`)
      const faults: unknown[] = []
      for (const { width, height, leastTarget, mostScroll } of SIZES) {
        await page.setViewport({ width, height })
        const rules = { leastTarget, mostScroll }
        const found = await findGeometryFaults(page, pages, rules)
        for (const [index, list] of found.entries()) {
          const name = `${/lang="([\w-]+)"/.exec(pages[index] ?? '')?.[1]} ${index < 8 * TRIED.length ? index % 8 : 'saved'}`
          faults.push(...list.map((fault) => `${width}x${height} ${name}: ${fault}`))
        }
      }
      expect(faults).toEqual([])
    } finally {
      await launched.close()
    }
  },
)

test('the form to change a password fits a window of 480 × 270, also with an error, in all languages', async () => {
  const brand = { ...ENTRY_POINT.brand, name: 'Lakeside Media', helpUrl: 'https://help.example/' }
  const app = await startAccountApp({ publicUrl: 'http://localhost', entryPoints: [{ ...ENTRY_POINT, brand }] })
  const pages: string[] = []
  for (const lang of LANGUAGES) {
    const short = { lang, ...ADA, newPassword: 'short', repeatPassword: 'short' }
    pages.push((await app.get(`/account/change-password?lang=${lang}`)).text)
    pages.push((await app.post('/account/change-password', short)).text)
  }
  const launched = await launchBrowser('chromium')
  try {
    const { page } = await launched.openPage()
    await page.goto(`http://localhost:${app.port}/account/forgot`)
    await page.setViewport({ width: 480, height: 270 })
    const found = await findGeometryFaults(page, pages, { leastTarget: 24, mostScroll: 0 })
    expect(found.flatMap((faults, index) => faults.map((fault) => `${LANGUAGES[index >> 1]}: ${fault}`))).toEqual([])
  } finally {
    await launched.close()
  }
})
