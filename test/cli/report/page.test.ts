import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import type { runHere as RunHere } from '../run-here.ts'
import { serviceWithRows, viewOf } from './report-service.ts'

const zone = process.env.TZ
let runHere: typeof RunHere
beforeAll(async () => {
  process.env.TZ = 'America/New_York'
  // The formatters of a page keep the time zone in which they were loaded, also by another test file.
  vi.resetModules()
  ;({ runHere } = await import('../run-here.ts'))
})
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
  vi.resetModules()
})

const DAY = ['--from', '2026-11-20T00:00:00Z', '--to', '2026-11-21T00:00:00Z']

async function pageOf(
  report: string,
  type: string,
  rows: readonly object[],
  args: readonly string[] = DAY,
): Promise<string> {
  const cwd = temporaryFolder()
  const env = await serviceWithRows(type, rows)
  const ended = await runHere(['report', report, ...args, '--html', join(cwd, 'page.html')], { cwd, env })
  expect(ended).toMatchObject({ status: 0, stdout: '' })
  return readFileSync(join(cwd, 'page.html'), 'utf8')
}

/** The text of a page, without its tags. */
function textOf(html: string): string {
  return html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

function drawingsOf(html: string): string[] {
  return (html.match(/<svg .*?<\/svg>/gs) ?? []).filter((svg) => svg.includes('role="img"'))
}

/** Of the boxes in a drawing of 878 pixels, those of a colour: where they begin and how wide they are. */
function boxesOf(svg: string | undefined, colour: string): [x: number, width: number][] {
  const boxes = [...(svg ?? '').matchAll(/<path d="M([\d.]+),[\d.]+h([\d.]+)[^>]* fill="var\(--(\w+)\)"/g)]
  return boxes.filter(([, , , fill]) => fill === colour).map(([, x, width]) => [Number(x), Number(width)])
}

const HOUR_PIXELS = 878 / 24

describe('the page of a report', () => {
  test('a page of views sums up in words and draws charts', async () => {
    const html = await pageOf('views', 'View', [
      viewOf(),
      viewOf({
        content_type: 'recorded',
        content_id: 2001,
        client_id: 'client-2',
        is_mobile_view: true,
        viewer_identifier: null,
      }),
    ])
    expect(textOf(html)).toContain('2 views by 1 signed-in viewer, on 2 devices: 3 h watched, 50 % of it live.')
    expect(textOf(html)).toContain('1 view without a sign-in')
    for (const title of ['Viewers over time', 'Content', 'Places', 'Devices', 'Browsers', 'Top viewers']) {
      expect(html).toMatch(new RegExp(`<h2[^>]*>${title}</h2>`))
    }
    expect(html).toContain('<bdi>Channel 1001</bdi>')
    expect(drawingsOf(html)).toHaveLength(12)
  })

  test('a page of views draws when a viewer watched live and recorded', async () => {
    const html = await pageOf('views', 'View', [
      viewOf(),
      viewOf({
        ...{ content_type: 'recorded', content_id: '2001' },
        ...{ started_at: '2026-11-20T18:00:00Z', finished_at: '2026-11-20T18:30:00Z' },
      }),
    ])
    const timelines = drawingsOf(html).at(-2)
    const [[liveX, liveWidth] = [0, 0], ...otherLive] = boxesOf(timelines, 'live')
    const [[recordedX, recordedWidth] = [0, 0], ...otherRecorded] = boxesOf(timelines, 'recorded')
    expect([...otherLive, ...otherRecorded]).toEqual([])
    expect([liveX, liveWidth]).toEqual([expect.closeTo(10 * HOUR_PIXELS), expect.closeTo(1.5 * HOUR_PIXELS)])
    expect([recordedX, recordedWidth]).toEqual([expect.closeTo(18 * HOUR_PIXELS), expect.closeTo(0.5 * HOUR_PIXELS)])
  })

  test('the page of a viewer with thousands of parts stays small', async () => {
    const time = (second: number) => new Date(Date.UTC(2026, 10, 20, 0, 0, second)).toISOString()
    const segments = Array.from({ length: 5_000 }, (_, at) => ({
      ...viewOf({ started_at: time(at * 10), finished_at: time(at * 10 + 9) }),
      id: String(at),
    }))
    const row = { viewer_identifier: 'ada', last_activity: time(0), videos_watched: 1, segments }
    const html = await pageOf('viewers', 'Viewer', [row])
    expect(textOf(html)).toContain('1 signed-in viewer watched 12 h 30 min in 5,000 parts')
    expect(boxesOf(drawingsOf(html).at(-2), 'live')).toEqual([[0, expect.closeTo((878 * 49_999) / 86_400, 1)]])
  })

  test('a page of views counts time inside the period, and running views until now', async () => {
    const html = await pageOf('views', 'View', [
      viewOf({ started_at: '2026-11-19T20:00:00Z', finished_at: '2026-11-20T01:00:00Z' }),
      viewOf({ started_at: '2026-11-20T23:00:00Z', finished_at: null }),
    ])
    expect(textOf(html)).toMatch(/: 2 h watched|: 1 h( \d+ min)? watched/)
    expect(textOf(html)).toContain('1 view still running')
  })

  test('a page of viewers has exact numbers, and the top viewers first', async () => {
    const segment = { ...viewOf(), id: '1' }
    const viewer = (name: string, segments: readonly object[]) => ({
      ...{ viewer_identifier: name, last_activity: '2026-11-20T11:30:00Z', videos_watched: 1, segments },
    })
    const rows = Array.from({ length: 30 }, (_, at) =>
      viewer(
        `viewer-${at}`,
        Array.from({ length: at }, () => segment),
      ),
    )
    const html = await pageOf('viewers', 'Viewer', rows, [])
    expect(textOf(html)).toContain('30 signed-in viewers watched 653 h in 435 parts')
    expect(html.indexOf('<bdi>viewer-29</bdi>')).toBeGreaterThan(0)
    expect(html.indexOf('<bdi>viewer-28</bdi>')).toBeGreaterThan(html.indexOf('<bdi>viewer-29</bdi>'))
    expect(html).toContain('<bdi>viewer-10</bdi>')
    expect(html).not.toContain('<bdi>viewer-9</bdi>')
  })

  test('a page of peaks names the highest and its time', async () => {
    const at = (time: string, value: number, id: number) => ({ content_type: 'live', content_id: id, time, value })
    const html = await pageOf('peak-viewer-numbers', 'PeakSeries', [
      at('2026-11-20T10:00:00Z', 7, 1001),
      at('2026-11-20T11:00:00Z', 41, 1002),
      at('2026-11-20T12:00:00Z', 12, 1001),
    ])
    expect(textOf(html)).toContain('41 viewers of Channel 1002, in the hour from Fri, 20 Nov 2026, 06:00.')
    expect(textOf(html)).toContain('America/New_York (GMT-05:00)')
    expect(boxesOf(drawingsOf(html)[0], 'live').map(([, width]) => width)).toEqual(
      Array.from({ length: 3 }, () => expect.closeTo(HOUR_PIXELS)),
    )
    expect(html.indexOf('<bdi>Channel 1002</bdi>')).toBeLessThan(html.indexOf('<bdi>Channel 1001</bdi>'))
  })

  test.each([
    ['total-views', 'location', 'location:Hungary', /Hungary, 1,234 views\. views 1,234 places 1 /],
    ['unique-devices', 'device', 'device:iPhone', /iPhone, 1,234 devices\./],
    ['authenticated-viewers', 'summary', 'summary', /1,234 signed-in viewers in the whole period/],
    ['total-views', 'day', 'day', /day: 1,234, Thu,? 19 Nov 2026/],
    ['total-views', 'view-source', 'view-source:__proto__', /__proto__, 1,234 views/],
  ])('a page of %s by %s draws a single row', async (report, dimension, type, said) => {
    const row = { dimension_type: type, point: '2026-11-20T00:00:00+00:00', value: 1234 }
    const html = await pageOf(report, 'Series', [row], [...DAY, '--by', dimension])
    expect(textOf(html)).toMatch(said)
    expect(drawingsOf(html)).toHaveLength(dimension === 'summary' ? 0 : 2)
  })

  test('a page of thousands of points keeps the highest', async () => {
    const rows = Array.from({ length: 5_000 }, (_, hour) => ({
      dimension_type: 'hour',
      point: new Date(Date.UTC(2026, 0, 1, hour)).toISOString(),
      value: hour === 3_001 ? 999 : (hour % 24) + 1,
    }))
    const args = ['--from', '2026-01-01', '--to', '2026-11-20', '--by', 'hour']
    const html = await pageOf('unique-devices', 'Series', rows, args)
    expect(textOf(html)).toContain('hour: 999')
    expect(textOf(html)).toContain('each 8 hours')
    // The top of the axis: what is drawn reaches as high.
    expect(drawingsOf(html)[0]).toContain('>1,000</text>')
    expect(html.length).toBeLessThan(250_000)
  })

  test.each([0, 0.25, 1e15])(
    'a page with the value %d and a period of a second has no drawing outside its bounds',
    async (value) => {
      const row = { dimension_type: 'hour', point: '2026-11-20T00:00:00Z', value }
      const second = ['--from', '2026-11-20T00:00:00Z', '--to', '2026-11-20T00:00:01Z']
      const html = await pageOf('total-views', 'Series', [row], [...second, '--by', 'hour'])
      for (const svg of drawingsOf(html)) expect(svg).not.toMatch(/NaN|Infinity|undefined|h-[\d.]+v/)
      expect(drawingsOf(html)).toHaveLength(2)
    },
  )

  test.each([
    ['views', 'View', DAY],
    ['viewers', 'Viewer', []],
    ['total-views', 'Series', [...DAY, '--by', 'hour']],
    ['unique-devices', 'Series', [...DAY, '--by', 'location']],
    ['peak-viewer-numbers', 'PeakSeries', DAY],
  ])('a page of no %s says that there is nothing', async (report, type, args) => {
    const html = await pageOf(report, type, [], args)
    expect(textOf(html)).toContain('No views in this period.')
    expect(drawingsOf(html)).toEqual([])
  })
})

describe('untrusted names on a page', () => {
  const NAMES = [
    '<script>alert(1)</script>',
    '</title></style></svg><img src=x onerror=alert(1)>',
    `"'><a href="javascript:alert(1)">x</a>`,
    '&lt;b&gt;&amp;',
    '{{constructor}} <%= process.env %> datum.value',
    '\u202egnitrever\u0000\u001b[2J\nline',
    'שלום עולם',
    '👩‍👩‍👧‍👦'.repeat(40),
    'x'.repeat(1_000),
    '   ',
    '__proto__',
    'class="a" role="b"',
  ]

  test('an untrusted name is only text, wherever it is shown', async () => {
    const rows = NAMES.map((name, index) =>
      viewOf({
        ...{ viewer_identifier: name, client_id: name, country: name, city: name, view_type: name },
        ...{ content_id: name, finished_at: `2026-11-20T11:${String(index).padStart(2, '0')}:00Z` },
        device_info: { browser: { family: name }, os: { family: name }, device: { family: name } },
      }),
    )
    const html = await pageOf('views', 'View', rows)
    const elements = new Set([...html.matchAll(/<([a-z!][a-z0-9]*)/gi)].map(([, name]) => name))
    expect(
      [...elements].filter((name) =>
        ['script', 'img', 'a', 'b', 'iframe', 'image', 'foreignObject'].includes(name ?? ''),
      ),
    ).toEqual([])
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    const tags = html.match(/<[a-z][^>]*>/gi) ?? []
    expect(tags.filter((tag) => /\s(?:on[a-z]+|href|src)\s*=/i.test(tag))).toEqual([])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(html).not.toMatch(/[\u202e\u0000\u001b]/)
    expect(html).toContain('class="a" role="b"')
    expect(html).toContain('(no name)')
    expect(html.length).toBeLessThan(400_000)
    for (const svg of drawingsOf(html)) expect(XMLValidator.validate(svg)).toBe(true)
  })

  test('a long name is cut to its line', async () => {
    const html = await pageOf('views', 'View', [viewOf({ viewer_identifier: 'W'.repeat(1_000) })])
    const texts = drawingsOf(html).flatMap((svg) =>
      [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? ''),
    )
    expect(texts.some((text) => /^W+…$/.test(text))).toBe(true)
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(110)
  })

  test.each([
    ['a wrong time', viewOf({ started_at: 'yesterday' })],
    ['a number as a name', viewOf({ viewer_identifier: 7 })],
  ])('a page is not written for %s', async (_case, row) => {
    const cwd = temporaryFolder()
    const env = await serviceWithRows('View', [row])
    const args = ['report', 'views', ...DAY, '--html', join(cwd, 'page.html')]
    const { status, stderr } = await runHere(args, { cwd, env })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Failed: The service sent .*\n$/)])
    expect(() => readFileSync(join(cwd, 'page.html'))).toThrow('ENOENT')
  })
})

describe('the page as a document', () => {
  test('a page has no scripts and requests, and its charts have descriptions', async () => {
    const html = await pageOf('views', 'View', [viewOf()])
    expect(html).toMatch(
      /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/]{43}='; /,
    )
    expect(html).not.toMatch(/<(script|link|iframe|object|embed|base)\b|@import|url\(|style="/)
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|\/\//)
    const parser = new XMLParser({ ignoreAttributes: false })
    for (const svg of drawingsOf(html)) {
      const { svg: root } = parser.parse(svg)
      expect(root['@_aria-labelledby']).toBe(`${root.title['@_id']} ${root.desc['@_id']}`)
      expect(root.title['#text'].length * root.desc['#text'].length).toBeGreaterThan(0)
    }
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each([['--json'], ['--csv'], ['--output', 'x']])('--html is refused together with %s', async (...option) => {
    const cwd = temporaryFolder()
    const ended = await runHere(['report', 'views', '--html', 'page.html', ...option], { cwd })
    expect(ended).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--html') })
  })

  test.each(['viewers', 'views', 'total-views', 'unique-devices', 'authenticated-viewers', 'peak-viewer-numbers'])(
    'the help of report %s shows --html with an example',
    async (report) => {
      const { stdout } = await runHere(['report', report, '--help'], { cwd: temporaryFolder() })
      expect(stdout).toMatch(/--html <FILE>/)
      expect(stdout).toMatch(new RegExp(`\\$ viewer-auth report ${report} .*--html \\S+\\.html`))
    },
  )
})
