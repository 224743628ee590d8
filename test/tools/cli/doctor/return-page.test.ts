import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../src/server/http-server.ts'
import { doubtAbout, judgeReturnPage } from '../../../../src/tools/cli/doctor/app/addresses.ts'

const RETURN_PAGE = '<!doctype html><title>Back</title><script src="/return.js"></script>'

test('a small page with a script can hand on the response', () => {
  expect(doubtAbout(RETURN_PAGE)).toBeNull()
  expect(doubtAbout(`${RETURN_PAGE}<p>One moment, please.</p>`)).toBeNull()
  expect(doubtAbout(`<script>${'x'.repeat(10_000)}</script>`)).toBeNull()
})

test.each([
  ['an empty page', ''],
  ['a page without a script', '<p>Welcome</p>'],
  ['a page with a frame', `${RETURN_PAGE}<iframe src="/embed/1"></iframe>`],
  ['a page with a form', `${RETURN_PAGE}<form></form>`],
  ['a page with a long text', `${RETURN_PAGE}<p>${'word '.repeat(200)}</p>`],
])('%s is doubtful', (_what, html) => {
  expect(doubtAbout(html)).not.toBeNull()
})

async function judge(pageAt: (path: string) => [status: number, type: string]): Promise<string> {
  const server = createServer((req, res) => {
    const [status, type] = pageAt(req.url ?? '')
    res.writeHead(status, { 'Content-Type': type, Connection: 'close' }).end(RETURN_PAGE)
  })
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${port}/pass`
  const { state, code } = await judgeReturnPage(url, await fetch(url), AbortSignal.timeout(5_000))
  return `${state} ${code}`
}

test('a page of its own is reachable, a page like every other and another type are doubtful', async () => {
  expect(await judge((path) => [path === '/pass' ? 200 : 404, 'text/html; charset=utf-8'])).toBe('ok address-reachable')
  expect(await judge(() => [200, 'text/html'])).toBe('unknown return-url-doubtful')
  expect(await judge((path) => [path === '/pass' ? 200 : 404, 'application/json'])).toBe('unknown return-url-doubtful')
})
