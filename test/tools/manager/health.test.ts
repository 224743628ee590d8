import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../src/server/http-server.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { startManager } from './start-manager.ts'

test('an empty user store counts as reachable', async () => {
  let body: object = { status: 'degraded', away: ['USER_STORE_URL'] }
  const app = createServer((_req, res) => void res.end(JSON.stringify(body)))
  onTestFinished(() => void app.close())
  const port = await listen(app, 0, '127.0.0.1')
  const manager = await startManager({ env: { PUBLIC_URL: `http://127.0.0.1:${port}` } })
  const browser = await manager.signedIn()
  const shows = async (words: string) => (await browser.get('/evening')).text.includes(words)
  await expect.poll(() => shows('no accounts yet')).toBe(true)
  expect(await shows('Tell your engineer')).toBe(false)
  body = { status: 'degraded', away: ['USER_STORE_URL', 'LIMITS_STORE_URL'] }
  manager.clock.seconds += 3
  await expect.poll(() => shows('Tell your engineer')).toBe(true)
})

test.each([
  ['says so if the entry points cannot be read', null, true],
  ['says nothing if the entry points are known', [ENTRY_POINT], false],
])('each page %s', async (_what, entryPoints, isSaid) => {
  const manager = await startManager({ entryPoints })
  const browser = await manager.signedIn('reader')
  for (const path of ['/evening', '/people', '/acts', '/account']) {
    const { text } = await browser.get(path)
    expect(text.includes('The settings of the entry points cannot be read here'), path).toBe(isSaid)
  }
})
