import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { SETTINGS } from '../../../settings.ts'
import { runPreview } from './run-preview.ts'

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

/** Opens the page with its first screen alone, and waits until all its sizes are measured. */
async function warningsWith(env: Record<string, string>) {
  const { html, file } = await runPreview({ ...SETTINGS, ...env })
  const start = html.indexOf('<section id="screen-2">')
  const end = html.indexOf('</main>')
  writeFileSync(file, html.slice(0, start) + html.slice(end))
  const { page } = await browser.openPage()
  const requests: string[] = []
  page.on('request', (request) => void requests.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  await page.waitForSelector('body[data-measured]')
  const warnings = await page.$$eval('#list li', (items) => items.map(({ textContent }) => textContent))
  const atFrames = await page.$$eval('.has-fault', (figures) => figures.map(({ textContent }) => textContent))
  const shown = await page.$$eval('figure iframe', (frames) => frames.length)
  await page.close()
  const outside = requests.filter((address) => !/^(?:file|data|about):/.test(address))
  return { warnings, atFrames: atFrames.map((text) => text?.replace(/\s+/g, ' ').trim()), shown, outside }
}

test('the page warns of a title that is cut, at the top and beside the frame, and loads nothing', async () => {
  const BRAND_TITLE = 'Hauptversammlung der Donaudampfschifffahrtsgesellschaft 2026'
  const { warnings, atFrames, shown, outside } = await warningsWith({ BRAND_TITLE })
  expect(warnings).toEqual([expect.stringMatching(/^Your title is cut at (?:\S+, )*375x211/)])
  expect(atFrames).toContain('375x211 dark Your title is cut.')
  expect(shown).toBeGreaterThan(0)
  expect(outside).toEqual([])
})

test('the page has no warning for the screens of the kit', async () => {
  expect(await warningsWith({})).toMatchObject({ warnings: [], atFrames: [] })
})
