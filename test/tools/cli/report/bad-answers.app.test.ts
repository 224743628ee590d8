import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { sendJson } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { serviceWithRows, startReportService, viewOf } from './report-service.ts'

const KEPT = / The rows so far are kept\. To continue, run the same command with --resume\.$/
const FORMATS = [
  ['--csv', '--output', 'views'],
  ['--json', '--output', 'views'],
  ['--html', 'views'],
]

/**
 * Requests the report in every format. Expects the same error each time, and no file left behind but the folder of kept pages of
 * CSV and JSON.
 */
async function failure(env: Record<string, string>, hasPage = false): Promise<string> {
  const messages = await Promise.all(
    FORMATS.map(async ([format = '', ...output]) => {
      const cwd = temporaryFolder()
      const file = join(cwd, output.pop() ?? '')
      const ended = await runHere(['report', 'views', '--last', '7d', format, ...output, file], { cwd, env })
      expect(ended).toMatchObject({ status: 1, stdout: '' })
      expect(readdirSync(cwd)).toHaveLength(hasPage && format !== '--html' ? 1 : 0)
      const { stderr } = ended
      const said = format === '--json' ? JSON.parse(stderr).error : (/^Failed: (.*)\n$/.exec(stderr)?.[1] ?? stderr)
      return said.replace(KEPT, '')
    }),
  )
  expect(new Set(messages).size).toBe(1)
  return messages[0]
}

const page = (given: object) => JSON.stringify({ data: [{ type: 'View', attributes: viewOf() }], ...given })

describe('a failing report', () => {
  const ANSWERS: [name: string, type: string, body: string, said: RegExp][] = [
    [
      'a web page',
      'text/html; charset=utf-8',
      '<!doctype html><title>Sign in</title>',
      /a web page instead of the report views/,
    ],
    ['incomplete JSON', 'application/json', page({}).slice(0, -40), /incomplete data instead of the report views/],
    ['an empty answer', 'application/json', '', /incomplete data instead of the report views/],
    ['JSON without pagination', 'application/json', page({}), /missing: pagination\.$/],
    [
      'rows of another type',
      'application/json',
      '{"data":[{"type":"View","attributes":{"view_id":7}}],"pagination":{}}',
      /missing: data\.0\.attributes\.view_id, /,
    ],
    [
      'a next link to another host',
      'application/json',
      page({ pagination: { next: { href: 'https://evil.example/v1/views?_page=2' } } }),
      /^The link on page 1 /,
    ],
    [
      'a next link to the same page',
      'application/json',
      page({ pagination: { next: { href: '?_page=1' } } }),
      /^The link on page 1 /,
    ],
  ]
  test.each(ANSWERS)('a report fails with one message after %s', async (_case, type, body, said) => {
    const env = await startReportService((_req, res) => res.writeHead(200, { 'content-type': type }).end(body))
    expect(await failure(env)).toMatch(said)
  })

  test('a report that fails on its second page keeps the first as CSV and JSON, and leaves no part as a page', async () => {
    const env = await startReportService((req, res) => {
      if (req.url?.includes('_page=1&')) res.end(page({ pagination: { next: { href: '?_page=2' } } }))
      else res.end('{"data":')
    })
    expect(await failure(env, true)).toMatch(/incomplete data instead of the report views/)
  })
})

test('a page with more rows than the command asked for is read whole, in every format', async () => {
  const attributes = viewOf()
  const data = Array.from({ length: 10_000 }, () => ({ type: 'View', attributes }))
  const env = await startReportService((_req, res) => sendJson(res, { data, pagination: { next: null } }))
  const cwd = temporaryFolder()
  for (const format of [['--csv'], ['--json'], ['--html', join(cwd, 'views.html')]]) {
    const ended = await runHere(['report', 'views', '--last', '7d', ...format], { cwd, env })
    expect(ended).toMatchObject({ status: 0, stderr: expect.stringMatching(/^10,000 rows/) })
  }
})

test('a report of views with odd fields is complete in every format, and ends with one warning', async () => {
  const env = await serviceWithRows('View', [viewOf({ device_info: undefined, view_type: undefined, client_id: 7 })])
  const cwd = temporaryFolder()
  for (const format of [[], ['--csv'], ['--json'], ['--html', join(cwd, 'views.html')]]) {
    const ended = await runHere(['report', 'views', '--last', '7d', ...format], { cwd, env })
    expect(ended).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^Warning: .*device_info is missing \(1×\)/),
    })
  }
})
