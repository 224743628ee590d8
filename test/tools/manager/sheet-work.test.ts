import { expect, test } from 'vitest'
import { startManager } from './start-manager.ts'

const PREVIEW = '/people/import/preview'
const ROWS = 1_200
const SHEET = `Email,Group\n${Array.from({ length: ROWS }, (_, index) => `a${index}@example.com,press`).join('\n')}\n`

/** Starts a page with an uploaded sheet. `before` runs before each row is looked up; `isImported` before each batch. */
async function withSheet(content = SHEET) {
  const manager = await startManager()
  const hooks = { before: (_count: number): unknown => undefined, beforeBatch: (): unknown => undefined }
  const counts = { looks: 0, batches: 0 }
  const { show, importBatch } = manager.users
  Object.assign(manager.users, {
    async show(name: string) {
      counts.looks += 1
      await hooks.before(counts.looks)
      return await show(name)
    },
    async importBatch(...batch: Parameters<typeof importBatch>) {
      counts.batches += 1
      await hooks.beforeBatch()
      return await importBatch(...batch)
    },
  })
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  await browser.upload('/people/import', 'x.csv', content, { existing: 'update', invite: 'on' })
  return { manager, browser, hooks, counts }
}

test('a sheet is read once, however often its preview is loaded', async () => {
  const { browser, counts } = await withSheet()
  expect((await browser.get(PREVIEW)).text).toContain('Import 1,200 people')
  const { looks } = counts
  expect((await browser.get(PREVIEW, { 'Accept-Language': 'de' })).text).toContain('1.200 Personen importieren')
  expect(counts.looks).toBe(looks)
})

test('a long reading says how far it is, and the browser looks again by itself', async () => {
  const { browser, hooks } = await withSheet()
  const held = Promise.withResolvers<void>()
  hooks.before = (count) => count > 600 && held.promise
  const { headers, text } = await browser.get(PREVIEW)
  expect(headers.get('Refresh')).toBe(`2;url=${PREVIEW}`)
  expect(text).toMatch(/<progress id="share" max="100" value="[1-9]\d"/)
  held.resolve()
  await expect.poll(async () => (await browser.get(PREVIEW)).text).toContain('Import 1,200 people')
})

test.each([
  ['no page asks for it', ({ manager }: Awaited<ReturnType<typeof withSheet>>) => (manager.clock.seconds += 20)],
  [
    'the session has ended',
    ({ manager, browser }: Awaited<ReturnType<typeof withSheet>>) =>
      manager.store.end(browser.cookies.get('manager') ?? ''),
  ],
  [
    'the import is cancelled',
    ({ browser }: Awaited<ReturnType<typeof withSheet>>) => browser.post('/people/import/cancel'),
  ],
])('a reading stops when %s', async (_when, leave) => {
  const world = await withSheet()
  world.hooks.before = async (count) => count === 10 && (await leave(world))
  const { text } = await world.browser.get(PREVIEW)
  expect(text).not.toContain('Import 1,200 people')
  expect(world.counts.looks).toBeLessThan(ROWS / 2)
})

test('an import that takes long goes on behind a page, and a second click imports nothing twice', async () => {
  const { manager, browser, hooks, counts } = await withSheet('Email\nbob@example.com\n')
  await browser.get(PREVIEW)
  const held = Promise.withResolvers<void>()
  hooks.beforeBatch = () => held.promise
  const clicks = ['1', '2'].map((click) => browser.post('/people/import/confirm', { click }))
  for (const { status, text } of await Promise.all(clicks)) {
    expect([status, text.includes('Importing')]).toEqual([200, true])
  }
  expect((await browser.get(PREVIEW)).text).toContain('<progress')
  held.resolve()
  await expect.poll(async () => (await browser.get(PREVIEW)).location).toBe('/people')
  expect((await browser.get('/people')).text).toContain('1 person added.')
  expect(counts.batches).toBe(1)
  expect(manager.faults).toEqual([])
})

test('an import that fails can be confirmed again', async () => {
  const { browser, hooks } = await withSheet('Email\nbob@example.com\n')
  await browser.get(PREVIEW)
  hooks.beforeBatch = () => Promise.reject(new Error('away'))
  expect((await browser.post('/people/import/confirm')).status).toBe(500)
  hooks.beforeBatch = () => undefined
  expect((await browser.act('/people/import/confirm')).text).toContain('1 person added.')
})
