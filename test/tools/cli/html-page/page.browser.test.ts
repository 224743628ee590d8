import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { PageModel, TimesChart } from '../../../../src/tools/cli/html-page/page-model.ts'
import { renderPage } from '../../../../src/tools/cli/html-page/render-page.ts'
import { barsChart, timelinesChart } from '../../../../src/tools/cli/html-page/rows-chart.ts'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

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

const DAY_MS = 86_400_000
const range = { fromMs: Date.UTC(2026, 10, 18), toMs: Date.UTC(2026, 10, 21) }
const aside = '12 h 2 min · 43 %'

/** Two days with numbers, and a day without a row between them. */
const DAYS: TimesChart = {
  kind: 'times',
  timesTitle: 'Day',
  range,
  columns: [
    { title: 'Live', draw: 'area' },
    { title: 'Recorded', draw: 'area' },
    { title: 'Average', draw: 'line' },
    { title: 'Peak', draw: null },
  ],
  rows: [0, 2].map((day) => {
    const fromMs = range.fromMs + day * DAY_MS
    return { fromMs, toMs: fromMs + DAY_MS, words: `Day ${day}`, values: [2 - day / 2, 3, 1, 5] }
  }),
}

/** All parts of a page, with untrusted names. */
const MODEL: PageModel = {
  title: 'Views',
  summary: `261 views of ${NAMES[1]}`,
  notes: ['A view is one watched part.'],
  figures: ['261', '28 h 3 min', '3', '83'].map((value) => ({ value, label: `viewers of ${NAMES[1]}` })),
  checks: [
    { isMet: true, text: 'All viewers got in.' },
    { isMet: false, text: NAMES.slice(0, 2).join(' ') },
  ],
  sections: [
    { title: 'Over time', words: 'The peak of each day.', chart: DAYS },
    ...['Places', 'Devices'].map((title) => ({
      title,
      words: 'All by views.',
      isHalf: true,
      table: { columns: [title, 'Views'], rows: [[NAMES[2] ?? '', 1]] },
      chart: barsChart(
        NAMES.map((name, value) => ({ name, value, aside })),
        null,
      ),
    })),
    {
      title: 'Top viewers',
      words: 'When each viewer watched.',
      legend: ['Live', 'Recorded'],
      chart: timelinesChart(
        range,
        Array.from({ length: 20 }, (_, at) => ({
          name: `${NAMES[at % NAMES.length]}`,
          aside,
          spans: [{ fromMs: range.fromMs + at * 3_600_000, toMs: range.toMs, layer: at % 2 ? 0 : 1 }],
        })),
      ),
    },
  ],
}

async function writtenPage(): Promise<URL> {
  const file = join(temporaryFolder(), 'page.html')
  writeFileSync(file, await renderPage(MODEL, { range, scope: 'All', source: ' by a test', nowMs: range.toMs }))
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
/** The share of colored points in each drawing, in percent. */
const COLORED = `[...document.querySelectorAll('.chart canvas')].map((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let colored = 0
  for (let at = 0; at < data.length; at += 4) colored += data[at + 3] > 0 && Math.abs(data[at] - data[at + 2]) > 40 ? 1 : 0
  return (400 * colored) / data.length
})`
const IS_WIDER_THAN_WINDOW = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
const PAPER = 'getComputedStyle(document.body).backgroundColor'
const LOOKS = [
  ['light', WIDE],
  ['dark', WIDE],
  ['light', PHONE],
  ['dark', PHONE],
] as const

test('a page is complete in light mode, in dark mode and on a phone, without requests', async () => {
  const address = await writtenPage()
  const { page, complaints } = await browser.openPage()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  for (const [colorScheme, viewport] of LOOKS) {
    await page.setViewport(viewport)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colorScheme }])
    await page.goto(address.href)
    expect(await page.evaluate(PAPER)).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 21, 26)')
    expect(await page.evaluate(COLORED)).toEqual([expect.toSatisfy((share) => share > 0.5)])
    expect(await page.evaluate(MISPLACED_LABELS)).toEqual([])
    await page.evaluate("document.querySelectorAll('summary').forEach((summary) => summary.click())")
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(IS_WIDER_THAN_WINDOW)).toBe(false)
  }
  expect(complaints).toEqual([])
  expect(new Set(requests)).toEqual(new Set([address.href]))
})

test('a drawing has the days of the page, whole numbers, and the numbers of its table on hover', async () => {
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
  // The reader is in another time zone than the page.
  await page.emulateTimezone('Asia/Tokyo')
  await page.goto((await writtenPage()).href)
  const labels = ['18 Nov', '19 Nov', '20 Nov', '21 Nov', '0', '1', '2', '3', '4', '5']
  await expect.poll(() => page.evaluate('[...new Set(labels)]')).toEqual(labels)
  const drawing = await page.$('.u-over')
  await drawing?.scrollIntoView()
  const box = await drawing?.boundingBox()
  const said: unknown[] = []
  for (const share of [0.3, 0.5, 0.9]) {
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 20)
    said.push(await page.evaluate("[...document.querySelectorAll('.u-value')].map(({ textContent }) => textContent)"))
  }
  expect(said).toEqual([
    ['Day 0', '2', '3', '1'],
    ['', '0', '0', '0'],
    ['Day 2', '1', '3', '1'],
  ])
})

test('a page prints in light mode, with whole drawings and without tables', async () => {
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
  await page.goto((await writtenPage()).href)
  const counts = ['details', 'details[open] table', '.chart', '.chart:empty'].map(
    async (of) => (await page.$$(of)).length,
  )
  expect(await Promise.all(counts)).toEqual([3, 3, 1, 1])
})
