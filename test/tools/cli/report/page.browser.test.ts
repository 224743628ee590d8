import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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

/** Labels of time axes in rows that lie outside of the window or overlap another label. */
const MISPLACED_LABELS = `[...document.querySelectorAll('.marks')].flatMap((svg) => {
  const boxes = [...svg.querySelectorAll('text')].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }))
  return boxes.filter(({ box }, index) =>
    box.left < 0 || box.right > document.documentElement.clientWidth || (boxes[index + 1] && box.right > boxes[index + 1].box.left))
})`
/** The share of coloured points in each drawing, in percent. */
const COLOURED = `[...document.querySelectorAll('.chart canvas')].map((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let coloured = 0
  for (let at = 0; at < data.length; at += 4) coloured += data[at + 3] > 0 && Math.abs(data[at] - data[at + 2]) > 40 ? 1 : 0
  return (400 * coloured) / data.length
})`
const IS_WIDER_THAN_WINDOW = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
const PAPER = 'getComputedStyle(document.body).backgroundColor'
const LOOKS = [
  ['light', WIDE],
  ['dark', WIDE],
  ['light', PHONE],
  ['dark', PHONE],
] as const

test.each([
  ['a report', writtenPage, 1],
  ['a drill', writtenDrill, 2],
])(
  'the page of %s is complete in light mode, in dark mode and on a phone, without requests',
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
      expect(await page.evaluate(COLOURED)).toEqual(Array(drawings).fill(expect.toSatisfy((share) => share > 0.5)))
      expect(await page.evaluate(MISPLACED_LABELS)).toEqual([])
      await page.evaluate("document.querySelectorAll('summary').forEach((summary) => summary.click())")
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(IS_WIDER_THAN_WINDOW)).toBe(false)
    }
    expect(complaints).toEqual([])
    expect(new Set(requests)).toEqual(new Set([address.href]))
  },
)

/** Opens a page of two days with views, and a day without a row between them. */
async function openDays(): Promise<{ page: Page; labels: () => Promise<unknown> }> {
  const rows = [18, 20].map((day) => ({
    dimension_type: 'day',
    point: `2026-11-${day}T00:00:00Z`,
    value: day === 18 ? 2 : 1,
  }))
  const file = join(temporaryFolder(), 'days.html')
  const args = ['report', 'total-views', '--from', '2026-11-18', '--to', '2026-11-20', '--html', file]
  const env = await serviceWithRows('Series', rows)
  expect(await runHere(args, { cwd: temporaryFolder(), env })).toMatchObject({ status: 0 })
  const { page } = await browser.openPage()
  await page.setViewport(WIDE)
  await page.evaluateOnNewDocument(`{
    const { fillText } = CanvasRenderingContext2D.prototype
    window.labels = []
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      labels.push(text)
      fillText.call(this, text, ...place)
    }
  }`)
  // The reader is in another time zone than the report.
  await page.emulateTimezone('Asia/Tokyo')
  await page.goto(pathToFileURL(file).href)
  return { page, labels: () => page.evaluate('[...new Set(labels)]') }
}

test('a drawing has the days of the report, whole numbers, and its numbers on hover', async () => {
  const { page, labels } = await openDays()
  await expect.poll(labels).toEqual(['18 Nov', '19 Nov', '20 Nov', '21 Nov', '0', '1', '2'])
  const box = await (await page.$('.u-over'))?.boundingBox()
  const said: unknown[] = []
  for (const share of [0.3, 0.5, 0.9]) {
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 20)
    said.push(await page.evaluate("[...document.querySelectorAll('.u-value')].map(({ textContent }) => textContent)"))
  }
  expect(said).toEqual([
    ['Wed, 18 Nov 2026', '2'],
    ['–', '0'],
    ['Fri, 20 Nov 2026', '1'],
  ])
})

test('the page of a report prints on two pages, in light mode, with whole drawings and without tables', async () => {
  const { page } = await browser.openPage()
  await page.setViewport(WIDE)
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
  await page.goto((await writtenPage()).href)
  await page.emulateMediaType('print')
  // The width of A4 between the margins, in CSS pixels.
  await page.setViewport({ width: 672, height: 1000 })
  expect(await page.evaluate(PAPER)).toBe('rgb(255, 255, 255)')
  expect(await page.evaluate("getComputedStyle(document.querySelector('canvas')).filter")).toBe('none')
  expect(await page.evaluate("getComputedStyle(document.querySelector('details')).display")).toBe('none')
  expect(await page.evaluate(IS_WIDER_THAN_WINDOW)).toBe(false)
  const printed = Buffer.from(await page.pdf({ format: 'A4' })).toString('latin1')
  expect(printed.match(/\/Type \/Page\b/g)).toHaveLength(2)
})

test('without scripts, all numbers of a page are in open tables', async () => {
  const plain = await launchBrowser('chromium-no-scripts')
  onTestFinished(() => plain.close())
  const { page } = await plain.openPage()
  await page.goto((await writtenDrill()).href)
  const counts = ['details', 'details[open] table', '.chart', '.chart:empty'].map(
    async (of) => (await page.$$(of)).length,
  )
  expect(await Promise.all(counts)).toEqual([3, 3, 2, 2])
})
