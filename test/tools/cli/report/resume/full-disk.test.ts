import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withKeptReport } from '../../../../../src/tools/cli/report/resume/kept-report.ts'
import { firstPage } from '../../../../../src/tools/video-service/analytics/moving-list.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'

test('a full disk beside the output says where to free space, and the pages before it are kept', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'report')
  const asked = {
    question: { report: 'views', period: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' } },
    typed: { last: '1d' },
    format: 'csv',
    isForExcel: false,
    timeZone: 'UTC',
    settings: { analyticsUrl: 'https://analytics.example.com/v1', clientId: 'a'.repeat(40) },
  } as const
  const next = { pages: 1, piece: 0, cursor: { ...firstPage(1_000), page: 2 }, sum: 0 }
  const filled = withKeptReport(file, asked, false, ({ database, keep }) => {
    const insert = database.prepare('INSERT INTO text VALUES (?)')
    insert.run(Buffer.from('page 1'))
    keep({ rows: 1, next, odd: [] })
    // As small as the disk of this test.
    database.exec('PRAGMA max_page_count = 10')
    for (;;) insert.run(Buffer.alloc(100_000))
  })
  await expect(filled).rejects.toThrow(
    `The rows of ${file} cannot be kept (database or disk is full). Free space beside it, and in the folder for temporary files.`,
  )
  expect(readdirSync(cwd)).toEqual([expect.stringMatching(/\.resume$/)])
  const kept = await withKeptReport(file, asked, true, ({ database, start }) =>
    Promise.resolve([
      start,
      database
        .prepare('SELECT chunk FROM text')
        .all()
        .map(({ chunk }) => Buffer.from(chunk as Uint8Array).toString()),
    ]),
  )
  expect(kept).toEqual([expect.objectContaining({ rows: 1, next }), ['page 1']])
})
