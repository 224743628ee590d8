import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { DAY, pageOf, textOf } from './make-page.ts'
import { serviceWithRows, viewOf } from './report-service.ts'

test('the page of watched time has the whole time, each channel, and the time over the period', async () => {
  const row = (content_id: number, hour: number, value: number) => {
    return { content_type: 'live', content_id, time: `2026-11-20T${hour}:00:00+00:00`, value }
  }
  const rows = [row(1001, 10, 5_400), row(1001, 11, 1_800), row(1002, 10, 600)]
  const html = await pageOf('viewer-seconds', 'ViewerSecondSeries', rows)
  expect(textOf(html)).toContain('2 h 10 min in the whole period, all viewers together.')
  for (const shown of ['2 h · 92 %', '10 min · 8 %', '7,800']) expect(textOf(html)).toContain(shown)
})

test('a page by country takes a group from the point, if the dimension does not name it', async () => {
  const row = (point: string | string[], value: number) => ({ dimension_type: 'country', point, value })
  const rows = [row('HU', 3), row(['DE', 'BY'], 2)]
  const text = textOf(await pageOf('total-views', 'Series', rows, [...DAY, '--by', 'country']))
  for (const shown of ['Top: HU, 3 views.', 'DE, BY', 'Countries']) expect(text).toContain(shown)
})

test('--excel begins CSV with a byte order mark, and needs --csv', async () => {
  const env = await serviceWithRows('View', [viewOf()])
  const run = (...args: string[]) => runHere(['report', 'views', ...DAY, ...args], { cwd: temporaryFolder(), env })
  expect((await run('--csv', '--excel')).stdout).toMatch(/^\ufeffview_id,/)
  expect((await run('--csv')).stdout).toMatch(/^view_id,/)
  expect((await run('--excel')).status).toBe(2)
})
