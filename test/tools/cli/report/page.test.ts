import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { pageOf as PageOf } from './make-page.ts'
import { barsOf, contentOf, DAY, textOf } from './make-page.ts'
import { viewOf } from './report-service.ts'

const zone = process.env.TZ
let pageOf: typeof PageOf
beforeAll(async () => {
  process.env.TZ = 'America/New_York'
  // The formatters of a page keep the time zone of their first import, also one by another test file.
  vi.resetModules()
  ;({ pageOf } = await import('./make-page.ts'))
})
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
  vi.resetModules()
})

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
    expect(textOf(html)).toContain(
      '2 views on 2 devices, 1 of them by 1 signed-in viewer: 3 h watched, 50 % of it live.',
    )
    expect(textOf(html)).toContain('1 view without a sign-in')
    for (const title of ['Viewers over time', 'Content', 'Places', 'Devices', 'Browsers', 'Top viewers']) {
      expect(html).toMatch(new RegExp(`<h2[^>]*>${title}</h2>`))
    }
    expect(html).toContain('<bdi>Channel 1001</bdi>')
  })

  test('a page of views shows how many watched at once, and the average beside it', async () => {
    const rows = Array.from({ length: 30 }, (_, at) =>
      viewOf({
        view_id: `v${at}`,
        started_at: '2026-11-20T10:00:00Z',
        finished_at: '2026-11-20T10:01:00Z',
        content_type: at < 20 ? 'live' : 'recorded',
      }),
    )
    const html = await pageOf('views', 'View', rows)
    expect(textOf(html)).toContain('viewers at once, at the peak 30')
    expect(textOf(html)).toContain('Peak: 30 viewers at once, on Fri, 20 Nov 2026, 05:00.')
    expect(textOf(html)).toContain('Areas show the peak of each 10 minutes, the line its average.')
    const [, numbers] = /05:00<\/bdi><\/td>((?:<td class="number">[\d.]+<\/td>)+)/.exec(html) ?? []
    expect(
      textOf(numbers ?? '')
        .trim()
        .split(/ +/),
    ).toEqual(['20', '10', '3', '30'])
  })

  test('a page of views draws when a viewer watched live and recorded', async () => {
    const html = await pageOf('views', 'View', [
      viewOf(),
      viewOf({
        content_type: 'recorded',
        content_id: '2001',
        started_at: '2026-11-20T18:00:00Z',
        finished_at: '2026-11-20T18:30:00Z',
      }),
    ])
    const [, timelines = ''] = html.split('>Top viewers<')
    expect(barsOf(timelines, 0)).toEqual([[expect.closeTo((100 * 10) / 24), expect.closeTo((100 * 1.5) / 24)]])
    expect(barsOf(timelines, 1)).toEqual([[75, expect.closeTo((100 * 0.5) / 24)]])
  })

  test('the page of a viewer with thousands of views stays small', async () => {
    const time = (second: number) => new Date(Date.UTC(2026, 10, 20, 0, 0, second)).toISOString()
    const segments = Array.from({ length: 5_000 }, (_, at) => ({
      ...viewOf({ started_at: time(at * 10), finished_at: time(at * 10 + 9) }),
      id: String(at),
    }))
    const row = { viewer_identifier: 'ada', last_activity: time(0), videos_watched: 1, segments }
    const html = await pageOf('viewers', 'Viewer', [row])
    expect(textOf(html)).toContain('1 signed-in viewer watched 12 h 30 min in 5,000 views')
    const [, timelines = ''] = html.split('>Top viewers<')
    expect(barsOf(timelines, 0)).toEqual([[0, expect.closeTo((100 * 49_999) / 86_400, 0)]])
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
      viewer_identifier: name,
      last_activity: '2026-11-20T11:30:00Z',
      videos_watched: 1,
      segments,
    })
    const rows = Array.from({ length: 30 }, (_, at) =>
      viewer(
        `viewer-${at}`,
        Array.from({ length: at }, () => segment),
      ),
    )
    const html = await pageOf('viewers', 'Viewer', rows, [])
    expect(textOf(html)).toContain('30 signed-in viewers watched 653 h in 435 views')
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
    const rows = contentOf(html).match(/<tr data-from.*?<\/tr>/g) ?? []
    const [before, ...next] = rows.slice(rows.findIndex((row) => textOf(row).includes('05:00')) - 1).map(textOf)
    expect(before).toMatch(/ 0 +0 $/)
    expect(next.slice(0, 4).map((row) => row.trim().split(/ +/).slice(-2))).toEqual([
      ...[
        ['0', '7'],
        ['41', '0'],
        ['0', '12'],
        ['0', '0'],
      ],
    ])
    expect(html.indexOf('>Channel 1002</bdi>')).toBeLessThan(html.indexOf('>Channel 1001</bdi>'))
  })

  test('a page names both offsets if the clocks change in the period', async () => {
    const html = await pageOf('views', 'View', [viewOf()], ['--from', '2025-10-30', '--to', '2025-11-05'])
    expect(textOf(html)).toContain('America/New_York (GMT-04:00, then GMT-05:00)')
  })

  test.each([
    ['total-views', 'location', 'location:Hungary', /Hungary, 1,234 views\. views 1,234 places 1 /],
    ['unique-devices', 'device', 'device:iPhone', /iPhone, 1,234 devices\./],
    ['authenticated-viewers', 'summary', 'summary', /1,234 signed-in viewers in the whole period/],
    ['total-views', 'day', 'day', /day: 1,234, Thu,? 19 Nov 2026/],
    ['total-views', 'view-source', 'view-source:__proto__', /__proto__, 1,234 views/],
  ])('a page of %s by %s shows a single row', async (report, dimension, type, said) => {
    const row = { dimension_type: type, point: '2026-11-20T00:00:00+00:00', value: 1234 }
    const html = await pageOf(report, 'Series', [row], [...DAY, '--by', dimension])
    expect(textOf(html)).toMatch(said)
    expect(html.split('<section').length - 1).toBe(dimension === 'summary' ? 0 : 1)
  })

  test('a page of thousands of hours has all of them', async () => {
    const rows = Array.from({ length: 5_000 }, (_, hour) => ({
      dimension_type: 'hour',
      point: new Date(Date.UTC(2026, 0, 1, hour)).toISOString(),
      value: hour === 3_001 ? 999 : (hour % 24) + 1,
    }))
    const args = ['--from', '2026-01-01', '--to', '2026-11-20', '--by', 'hour']
    const html = await pageOf('unique-devices', 'Series', rows, args)
    expect(textOf(html)).toContain('hour: 999')
    expect(html.match(/<tr data-from="\d+" data-to="\d+">/g)).toHaveLength(5_000)
    expect(html.length).toBeLessThan(1_000_000)
  })

  test.each([0, 0.25, 1e15])(
    'a page with the value %d and a period of a second has only finite numbers',
    async (value) => {
      const row = { dimension_type: 'hour', point: '2026-11-20T00:00:00Z', value }
      const second = ['--from', '2026-11-20T00:00:00Z', '--to', '2026-11-20T00:00:01Z']
      const html = await pageOf('total-views', 'Series', [row], [...second, '--by', 'hour'])
      expect(contentOf(html)).not.toMatch(/NaN|Infinity|undefined/)
    },
  )

  test.each([
    ['views', 'View', DAY, 'No views in this period.'],
    ['viewers', 'Viewer', [], 'No signed-in viewers yet.'],
    ['viewers', 'Viewer', DAY, 'No signed-in viewers in this period.'],
    ['total-views', 'Series', [...DAY, '--by', 'hour'], 'No views in this period.'],
    ['unique-devices', 'Series', [...DAY, '--by', 'location'], 'No views in this period.'],
    ['peak-viewer-numbers', 'PeakSeries', DAY, 'No views in this period.'],
  ])('a page of no %s says once that there is nothing', async (report, type, args, said) => {
    const html = await pageOf(report, type, [], args)
    expect(textOf(html).split(said)).toHaveLength(2)
    expect(html).not.toContain('<section')
  })
})
