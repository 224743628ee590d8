import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { drill, startPlainApp } from '../drill/plain-app.ts'
import { runHere } from '../run-here.ts'
import { serviceWithRows, viewOf } from './report-service.ts'

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

const NAMES = [
  'ada@example.com',
  '<img src="https://evil.example/" onerror="alert(1)">',
  'x'.repeat(1_000),
  'שלום עולם',
]
const WIDE = { width: 1280, height: 720 }
const PHONE = { width: 360, height: 740 }

/** A page of many views with untrusted names. */
async function writtenPage(): Promise<URL> {
  const rows = Array.from({ length: 300 }, (_, at) => {
    const name = NAMES[at % NAMES.length]
    const minute = (of: number) => new Date(Date.UTC(2026, 10, 20, 0, of)).toISOString()
    return viewOf({
      ...{ viewer_identifier: `${name}${at % 30}`, country: name, content_type: at % 3 ? 'live' : 'recorded' },
      ...{ content_id: at % 7, started_at: minute(at * 4), finished_at: minute(at * 4 + 30) },
      device_info: { browser: { family: name }, os: { family: name }, device: { family: name } },
    })
  })
  const cwd = temporaryFolder()
  const file = join(cwd, 'views.html')
  const env = await serviceWithRows('View', rows)
  const period = ['--from', '2026-11-20T00:00:00Z', '--to', '2026-11-21T00:00:00Z']
  expect(await runHere(['report', 'views', ...period, '--html', file], { cwd, env })).toMatchObject({ status: 0 })
  return pathToFileURL(file)
}

/** The page of a drill that failed, with commands. */
async function writtenDrill(): Promise<URL> {
  const file = join(temporaryFolder(), 'drill.html')
  const app = await startPlainApp((answer, { kind, username }) =>
    kind === 'right' && username.startsWith('viewer-2') ? { status: 401, headers: {} } : answer,
  )
  const commands = ['--at', `0.5s=echo ${'long '.repeat(40)}`, '--outage', '0.8s=false', '--at', '1s=true']
  expect(await drill(app, ['--over', '1.5s', '--html', file, ...commands])).toMatchObject({ status: 1 })
  return pathToFileURL(file)
}

async function violations(page: Page): Promise<unknown> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
}

/** Texts in visible drawings that lie outside of the window or overlap another text. */
const MISPLACED_TEXTS = `[...document.querySelectorAll('figure svg')]
  .filter((svg) => svg.getClientRects().length > 0)
  .flatMap((svg) => {
    const boxes = [...svg.querySelectorAll('text')].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }))
    const outside = boxes.filter(({ box }) => box.left < 0 || box.right > document.documentElement.clientWidth)
    const upon = boxes.filter(({ box: a }, index) =>
      boxes.slice(index + 1).some(({ box: b }) =>
        a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3))
    return [...outside, ...upon].map(({ text }) => text)
  })`
const IS_WIDER_THAN_WINDOW = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
const PAPER = 'getComputedStyle(document.body).backgroundColor'
const DRAWINGS_SHOWN = `[...document.querySelectorAll('figure')]
  .map(({ children }) => [...children].filter((svg) => svg.role === 'img' && svg.getClientRects().length > 0).length).join()`
const LOOKS = [
  ['light', WIDE],
  ['dark', WIDE],
  ['light', PHONE],
  ['dark', PHONE],
] as const

test.each([
  ['a report', writtenPage, 6],
  ['a drill', writtenDrill, 3],
])(
  'the page of %s is complete in light mode, in dark mode and on a phone, without scripts or requests',
  async (_name, write, drawings) => {
    const address = await write()
    const { page, complaints } = await browser.openPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    for (const [colorScheme, viewport] of LOOKS) {
      await page.setViewport(viewport)
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colorScheme }])
      await page.goto(address.href)
      expect(await page.evaluate(PAPER)).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 21, 26)')
      expect(await page.evaluate(DRAWINGS_SHOWN)).toBe(Array(drawings).fill(1).join())
      expect(await page.evaluate(MISPLACED_TEXTS)).toEqual([])
      await page.evaluate("document.querySelectorAll('summary').forEach((summary) => summary.click())")
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(IS_WIDER_THAN_WINDOW)).toBe(false)
    }
    expect(complaints).toEqual([])
    expect(new Set(requests)).toEqual(new Set([address.href]))
  },
)

test('the page of a report prints on two pages, in light mode, with whole drawings and without tables', async () => {
  const { page } = await browser.openPage()
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
  await page.emulateMediaType('print')
  await page.goto((await writtenPage()).href)
  expect(await page.evaluate(PAPER)).toBe('rgb(255, 255, 255)')
  expect(await page.evaluate(DRAWINGS_SHOWN)).toBe('1,1,1,1,1,1')
  expect(await page.evaluate("getComputedStyle(document.querySelector('details')).display")).toBe('none')
  const printed = Buffer.from(await page.pdf({ format: 'A4' })).toString('latin1')
  expect(printed.match(/\/Type \/Page\b/g)).toHaveLength(2)
})
