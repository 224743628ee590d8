import { expect, test } from 'vitest'
import type { Browser } from '../start-manager.ts'
import { PARTS } from './all-rows.ts'
import { OPEN_ROUTES } from './core-rows.ts'
import { GOLD, type Row, routesOf, startWorld, toldOfOthers, ZEBRA, ZEBRA_POINT } from './world.ts'

const ROWS = PARTS.flatMap(({ rows }) => rows)
const OWN = { name: GOLD, entryPoint: 'gold' }
const OTHERS = { name: ZEBRA, entryPoint: ZEBRA_POINT }
const UNKNOWN = { name: 'nobody@example.com', entryPoint: 'nowhere' }

const pathOf = ({ route }: Row, { name, entryPoint }: typeof OWN) =>
  (route.split(' ')[1] ?? '').replace(':name', encodeURIComponent(name)).replace(':entryPoint', entryPoint)

/** Sends the request of a row, and follows its redirects. */
async function send(browser: Browser, row: Row, path: string) {
  const { route, fields = {}, sheet } = row
  const query = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const first = await (async () => {
    if (sheet !== undefined) return await browser.upload(path, 'x.csv', sheet, { invite: 'on', existing: 'update' })
    if (route.startsWith('post')) return await browser.post(path, fields)
    const address = `${path}?${query}`
    return await (path.endsWith('/stream') ? browser.stream(address, row.shows) : browser.get(address))
  })()
  let last = first
  while (last.location !== null) last = await browser.get(last.location)
  const heads = [...first.headers, ...last.headers].flat().join('\n')
  return {
    status: first.status,
    text: last.text,
    all: `${first.text}\n${last.text}\n${heads}`,
    asked: `${query} ${sheet}`,
  }
}

test('each route of the page has a row', async () => {
  const { app } = await startWorld([])
  const named = [...ROWS.map(({ route }) => route), ...OPEN_ROUTES, ...PARTS.flatMap(({ open = [] }) => open)]
  expect(routesOf(app).toSorted()).toEqual([...new Set(named)].toSorted())
})

test.each(ROWS)(
  'at $route, a restricted manager gets $status and sees "$shows", but nothing of others',
  async (row) => {
    const world = await startWorld(PARTS)
    const { restricted, users } = world
    const before = await users.inspect(ZEBRA)
    const path = pathOf(row, OWN)
    // The figures of the evening are read in the background.
    await expect.poll(async () => (await restricted.get('/evening')).text).toContain(GOLD)
    const own = await send(restricted, row, path)
    expect(own.status).toBe(row.status)
    expect(own.text).toContain(row.shows)
    expect(toldOfOthers(own.all, own.asked)).toEqual([])
    if (row.sheet !== undefined) await restricted.post('/people/import/confirm')
    const texts = []
    for (const one of [OTHERS, UNKNOWN]) {
      if (pathOf(row, one) === path) continue
      const answer = await send(restricted, row, pathOf(row, one))
      expect([one, answer.status]).toEqual([one, 404])
      texts.push(answer.text)
    }
    expect(new Set(texts).size).toBeLessThan(2)
    expect(texts.flatMap((text) => toldOfOthers(text, ''))).toEqual([])
    expect(await users.inspect(ZEBRA)).toEqual(before)
    expect(world.faults).toEqual([])
  },
)
