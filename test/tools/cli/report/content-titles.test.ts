import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { sendJson } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { DAY, textOf } from './make-page.ts'
import { startReportService, viewOf } from './report-service.ts'

const CHANNELS = [
  { id: 1001, title: 'Town hall', url: 'town-hall', tiny_url: 't' },
  { id: 1002, title: 'Lecture', url: 'lecture', tiny_url: 't' },
  { id: 1003, title: 'Lecture', url: 'lecture-2', tiny_url: 't' },
  { id: 1004, title: ' ', url: 'blank', tiny_url: 't' },
  { id: 1005, title: '<b>\u202eevil', url: 'evil', tiny_url: 't' },
]
const VIEWS = [...CHANNELS.map(({ id }) => ({ content_id: id })), { content_type: 'recorded', content_id: 1001 }]

/** Runs `report views` against a service with these answers to the list of channels. Counts the requests for it. */
async function reportWith(channels: object | 'unknown', args: readonly string[]) {
  let asked = 0
  const env = await startReportService((req, res) => {
    if (!req.url?.startsWith('/users/self/channels.json')) {
      const data = VIEWS.map((given) => ({ type: 'View', attributes: viewOf(given) }))
      return sendJson(res, { data, pagination: { next: null } })
    }
    asked += 1
    if (channels === 'unknown') res.writeHead(404).end()
    else sendJson(res, channels)
  })
  const cwd = temporaryFolder()
  const ended = await runHere(['report', 'views', ...DAY, ...args], { cwd, env })
  expect(ended.status).toBe(0)
  return { ...ended, asked }
}

describe('titles of channels', () => {
  test('a page names channels by their titles, with the id where titles are equal', async () => {
    const file = join(temporaryFolder(), 'page.html')
    const scope = ['--content', 'live', '--id', '1001,1009']
    const { asked } = await reportWith({ channels: CHANNELS }, ['--html', file, ...scope])
    const html = readFileSync(file, 'utf8')
    expect(asked).toBe(1)
    expect(textOf(html)).toContain('Live broadcasts: Town hall, Channel 1009')
    for (const shown of ['Town hall', 'Lecture (1002)', 'Lecture (1003)', 'Channel 1004', 'Video 1001']) {
      expect(html).toContain(`<bdi>${shown}</bdi>`)
    }
    expect(html).toContain('&lt;b&gt;\\u202eevil')
  })

  test('a table names channels by their titles', async () => {
    const { stdout, asked } = await reportWith({ channels: CHANNELS }, [])
    expect(asked).toBe(1)
    for (const shown of [' Town hall ', ' Lecture (1003) ', ' Channel 1004 ', ' Video 1001 ']) {
      expect(stdout).toContain(shown)
    }
  })

  test.each([['unknown' as const], [{ channels: 'none' }]])(
    'a report without titles (%j) is complete',
    async (channels) => {
      const { stdout } = await reportWith(channels, [])
      expect(stdout).toContain('Channel 1001')
    },
  )

  test.each([['--csv'], ['--json'], ['--content=recorded']])('a report with %s reads no titles', async (option) => {
    expect(await reportWith({ channels: CHANNELS }, [option])).toMatchObject({ asked: 0 })
  })
})
