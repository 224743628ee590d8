import { expect, test } from 'vitest'
import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { START_SECONDS, startManager } from './start-manager.ts'

const HOUR = 3600
const MEETING = { en: 'Annual meeting', de: 'Hauptversammlung' }

function entryPointOf(name: string, event: unknown, opensAtSeconds = START_SECONDS + HOUR): EntryPoint {
  const windows = [{ opensAtSeconds, closesAtSeconds: opensAtSeconds + HOUR }]
  const doors = { windows, timeZone: 'UTC', overUrl: null, message: null, file: null, hasWaitingRoom: false }
  return { ...ENTRY_POINT, name, allowedGroups: [name], features: { doors, ...(event !== undefined && { event }) } }
}

const GOLD = entryPointOf('gold', MEETING)
const SILVER = entryPointOf('silver', 'Press day', START_SECONDS - 2 * HOUR)

async function startWith(...entryPoints: EntryPoint[]) {
  const manager = await startManager({ entryPoints })
  for (const name of ['gold', 'silver'])
    await manager.users.add({ username: `${name}@example.com`, groups: [name], attributes: {} }, null)
  return manager
}

const headOf = (text: string) => /<div class="at">.*?<\/div>/s.exec(text)?.[0] ?? null
const choose = (entryPoint: string, back = '/doors') => ['/event', { entryPoint, back }] as const

test('the chosen event is on all pages until another one is chosen, with its state', async () => {
  const manager = await startWith(GOLD, SILVER)
  const browser = await manager.signedIn()
  const all = await browser.get('/doors')
  expect(all.text).toMatch(/Annual meeting.*Press day/s)
  expect(headOf(all.text)).not.toContain('class="state')
  const gold = await browser.act(...choose('gold'))
  expect(headOf(gold.text)).toContain('<span class="state not-open-yet">before</span>')
  expect(gold.text).not.toMatch(/<h2[^>]*>Press day/)
  const { text } = await browser.get('/people', { 'Accept-Language': 'de' })
  expect(headOf(text)).toMatch(/selected>Hauptversammlung<.*davor/s)
  expect([text.includes('gold@example.com'), text.includes('silver@example.com')]).toEqual([true, false])
  const silver = await browser.act(...choose('silver', '/people'))
  expect(headOf(silver.text)).toContain('<span class="state over">over</span>')
  expect((await browser.act(...choose(''))).text).toMatch(/Annual meeting.*Press day/s)
  const other = await manager.signedIn('reader', null, 'joe@example.com')
  expect(headOf((await other.get('/doors')).text)).not.toContain('selected')
})

test('a report and its sheet have the name of the event in the period, or of the chosen event', async () => {
  const odd = entryPointOf('silver', 'Press: "A/B"', START_SECONDS - 2 * HOUR)
  const reports = { attendance: () => Promise.resolve({ ok: true, data: [] } as const) }
  const manager = await startManager({ entryPoints: [GOLD, odd], reports })
  const browser = await manager.signedIn()
  const headOfReport = async (from: string, to: string, language = 'en') => {
    const query = `channel=1&from=2027-01-15T${from}&to=2027-01-15T${to}`
    const { text } = await browser.get(`/after/attendance?${query}`, { 'Accept-Language': language })
    const sheet = await browser.get(`/after/attendance.csv?${query}`, { 'Accept-Language': language })
    const disposition = sheet.headers.get('Content-Disposition')
    return [/<h1>(.*?)<\/h1>/.exec(text)?.[1], /filename="(.*?)"/.exec(disposition ?? '')?.[1]]
  }
  expect(await headOfReport('09:00', '10:00')).toEqual([
    'Attendance: Annual meeting',
    'Attendance Annual meeting 2027-01-15.csv',
  ])
  expect(await headOfReport('09:30', '11:00', 'de')).toEqual([
    'Anwesenheit: Hauptversammlung',
    'Anwesenheit Hauptversammlung 2027-01-15.csv',
  ])
  expect(await headOfReport('05:00', '08:00')).toEqual([
    'Attendance: Press: &#34;A/B&#34;',
    'Attendance Press A B 2027-01-15.csv',
  ])
  const none = ['Attendance', 'Attendance 2027-01-15.csv']
  expect(await headOfReport('05:00', '10:00')).toEqual(none)
  await browser.get('/doors')
  await browser.act(...choose('gold'))
  expect((await headOfReport('05:00', '10:00'))[0]).toBe('Attendance: Annual meeting')
  expect(await headOfReport('05:00', '08:00')).toEqual(none)
})

test('a manager of one entry point reads its event, and chooses no other', async () => {
  const manager = await startWith(GOLD, SILVER)
  const browser = await manager.signedIn('event-manager', ['gold'])
  expect(headOf((await browser.get('/doors')).text)).toContain('<strong>Annual meeting</strong>')
  const { text } = await browser.act(...choose('silver'))
  expect(text).not.toMatch(/silver|Press day/)
  expect((await browser.post('/doors/silver/open')).status).toBe(404)
})

test.each(['//example.com', 'https://example.com', '/people/one/bob', ''])(
  'an event leads to no address "%s"',
  async (back) => {
    const browser = await (await startWith(GOLD, SILVER)).signedIn()
    await browser.get('/doors')
    expect((await browser.post(...choose('gold', back))).location).toBe('/')
  },
)

test('an event that is gone from the settings is no longer chosen', async () => {
  const entryPoints = [GOLD, SILVER]
  const manager = await startManager({ entryPoints: () => entryPoints })
  const browser = await manager.signedIn()
  await browser.get('/doors')
  await browser.act(...choose('silver'))
  entryPoints.pop()
  expect(headOf((await browser.act(...choose('silver'))).text)).toContain('<strong>Annual meeting</strong>')
})

test('without EVENT_NAME, pages have no event, and the names of entry points', async () => {
  const manager = await startWith(entryPointOf('gold', undefined), entryPointOf('silver', undefined))
  const { text } = await (await manager.signedIn()).get('/doors')
  expect(headOf(text)).toBeNull()
  expect(text).toMatch(/<h2[^>]*>gold .*<h2[^>]*>silver /s)
})
