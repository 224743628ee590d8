import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { DAY, pageOf, textOf } from './make-page.ts'
import { serviceWithRows, viewOf } from './report-service.ts'

test('a page by location takes a group from the point, if the dimension does not name it', async () => {
  const row = (point: string | string[], value: number) => ({ dimension_type: 'location', point, value })
  const rows = [row('HU', 3), row(['DE', 'BY'], 2)]
  const text = textOf(await pageOf('total-views', 'Series', rows, [...DAY, '--by', 'location']))
  for (const shown of ['Top: HU, 3 views.', 'DE, BY', 'Places']) expect(text).toContain(shown)
})

test('--excel begins CSV with a byte order mark, and needs --csv', async () => {
  const env = await serviceWithRows('View', [viewOf()])
  const run = (...args: string[]) => runHere(['report', 'views', ...DAY, ...args], { cwd: temporaryFolder(), env })
  expect((await run('--csv', '--excel')).stdout).toMatch(/^\ufeffview_id,/)
  expect((await run('--csv')).stdout).toMatch(/^view_id,/)
  expect((await run('--excel')).status).toBe(2)
})
