import { expect, test } from 'vitest'
import type { DoorSettings } from '../../../../../src/features/doors/fields.ts'
import { readManagerSettings } from '../../../../../src/tools/cli/settings/manager/settings.ts'
import { doorTimes } from '../../../../../src/tools/features/doors/event-times.ts'
import type { EventReports } from '../../../../../src/tools/manager/after/event-reports.ts'
import { zoneOfPage } from '../../../../../src/tools/manager/pages/page-zone.ts'
import { startWithCommands } from '../../../manager/real-entry-point.ts'
import { ATTENDANCE_ROW, NO_CHANNELS } from '../../../manager/report-answers.ts'
import { startManager } from '../../../manager/start-manager.ts'

const SETTINGS = {
  MANAGER_PORT: '3100',
  MANAGER_URL: 'http://localhost:3100',
  MANAGER_SECRET: '9c4e17d05ab83f6621e0d97c58fb3a12',
}
const doorsIn = (timeZone: string | null) => ({ features: timeZone === null ? {} : { doors: { timeZone } } })

test.each([
  ['the name of the doors, before the setting', ['Europe/Berlin'], 'Asia/Tokyo', 'UTC', 'Europe/Berlin'],
  ['the name of one entry point, beside an offset', [null, '+09:00', 'Europe/Berlin'], null, 'UTC', 'Europe/Berlin'],
  ['the setting, of doors with several names', ['Europe/Berlin', 'Asia/Tokyo'], 'Asia/Seoul', 'UTC', 'Asia/Seoul'],
  ['the first name of several, without a setting', ['Europe/Berlin', 'Asia/Tokyo'], null, 'UTC', 'Europe/Berlin'],
  ['the setting, before an offset', ['+01:00'], 'Europe/Berlin', 'Asia/Tokyo', 'Europe/Berlin'],
  ['the setting, without doors', [null], 'Europe/Berlin', 'Asia/Tokyo', 'Europe/Berlin'],
  ['the zone of the machine, before an offset', ['+01:00'], null, 'Asia/Tokyo', 'Asia/Tokyo'],
  ['an offset, on a machine in UTC', ['+01:00'], null, 'UTC', '+01:00'],
  ['the zone of the machine, without doors', [null], null, 'UTC', 'UTC'],
])('the page has %s', (_what, zones, setting, machine, zone) => {
  expect(zoneOfPage(zones.map(doorsIn), setting, machine, [doorTimes])).toBe(zone)
})

test('the page has the setting, if the entry points cannot be read', () => {
  expect(zoneOfPage(null, 'Europe/Berlin', 'UTC', [])).toBe('Europe/Berlin')
})

const DOORS = {
  opensAt: '2090-07-24T18:00:30Z',
  closesAt: '2090-07-24T20:00:00Z',
  doorsTimeZone: 'Asia/Kathmandu',
}

/** Starts a page whose zone is the zone of the doors, which no test machine has. */
async function start(entry: object = {}, reports: Partial<EventReports> = {}) {
  const manager = await startWithCommands({ ...DOORS, ...entry }, {}, { reports })
  const isoOf = (seconds: number | null | undefined) => new Date((seconds ?? 0) * 1000).toISOString()
  const window = () => {
    const doors = manager.entryPoints()[0]?.features.doors as DoorSettings | undefined
    const [first] = doors?.windows ?? []
    return [isoOf(first?.opensAtSeconds), isoOf(first?.closesAtSeconds)]
  }
  const browser = await manager.signedIn()
  // Its token is for all forms.
  await browser.get('/people')
  const set = async (times: Readonly<Record<string, string>>) => {
    const [, seen = ''] = /name="seen" value="([^"]+)"/.exec((await browser.get('/doors')).text) ?? []
    return await browser.act('/doors/default/set', { seen, ...times })
  }
  return { manager, browser, window, set }
}

test('each page names the zone of the doors, and follows a change of it', async () => {
  const { browser } = await start()
  for (const path of ['/evening', '/people', '/people/add', '/codes', '/doors', '/acts']) {
    expect((await browser.get(path)).text, path).toContain('<small>Times in Asia/Kathmandu.</small></footer>')
  }
  expect((await browser.get('/doors', { 'Accept-Language': 'de' })).text).toContain('Zeiten in Asia/Kathmandu.')
  const offset = await startManager({ timeZone: '+01:00' })
  expect((await (await offset.signedIn()).get('/people')).text).toContain('Times in UTC+01:00.')
})

test('doors are shown and moved in the zone of the page, and a time that was not changed keeps its seconds', async () => {
  const { browser, window, set } = await start()
  const { text } = await browser.get('/doors')
  expect(text).toContain('Mon, 24 Jul 2090, 23:45')
  expect(text).toContain('name="opens" value="24/07/2090 23:45"')
  await set({ opens: '2090-07-24T23:45', closes: '2090-07-25T02:15' })
  expect(window()).toEqual(['2090-07-24T18:00:30.000Z', '2090-07-24T20:30:00.000Z'])
  const same = await set({ opens: '2090-07-24T23:15', closes: '2090-07-25T02:15' })
  expect(same.text).toContain('default: not open yet now. Opens: Mon, 24 Jul 2090, 23:15.')
  expect(window()).toEqual(['2090-07-24T17:30:00.000Z', '2090-07-24T20:30:00.000Z'])
})

const IN_BERLIN = {
  doorsTimeZone: 'Europe/Berlin',
  opensAt: '2027-03-27T20:00+01:00',
  closesAt: '2027-11-01T22:00+01:00',
}

test('doors take times as people write them', async () => {
  const { window, set } = await start()
  await set({ opens: '24.07.2090 23:30', closes: '25/07/2090 02:15' })
  expect(window()).toEqual(['2090-07-24T17:45:00.000Z', '2090-07-24T20:30:00.000Z'])
})

test.each([
  ['skip', '2027-03-28T02:30', 'The clocks in Europe/Berlin skip 28/03/2027 02:30.'],
  ['show twice', '2027-10-31T02:30', '31/10/2027 02:30 comes twice in Europe/Berlin'],
])('a time that the clocks %s is refused, wherever it is typed', async (_what, time, sentence) => {
  const { manager, browser, window, set } = await start(IN_BERLIN, NO_CHANNELS)
  const before = window()
  expect((await set({ opens: time })).text).toContain(sentence)
  expect(window()).toEqual(before)
  for (const query of [`from=${time}&to=2027-12-01T00:00`, `from=2027-01-01T00:00&to=${time}`]) {
    expect((await browser.get(`/after/attendance?channel=1&${query}`)).text).toContain(sentence)
  }
  expect((await browser.act('/people/add', { username: 'bob', until: time })).text).toContain(sentence)
  expect((await manager.users.show('bob')).ok).toBe(false)
})

test('an hour that comes twice does not refuse a form in which only the other time was changed', async () => {
  const { window, set } = await start({ ...IN_BERLIN, closesAt: '2027-10-31T02:30+01:00' })
  await set({ opens: '2027-03-27T21:00', closes: '2027-10-31T02:30' })
  expect(window()).toEqual(['2027-03-27T20:00:00.000Z', '2027-10-31T01:30:00.000Z'])
})

test.each([
  ['a day', '2026-11-30', '30/11/2026', '2026-11-30T18:14:59Z'],
  ['a time', '2026-11-30T20:15', '30/11/2026 20:15', '2026-11-30T14:30:00Z'],
  ['a day with points', '30.11.2026', '30/11/2026', '2026-11-30T18:14:59Z'],
  ['a time with points', '30.11.2026 20:15', '30/11/2026 20:15', '2026-11-30T14:30:00Z'],
  ['a time with slashes', '30/11/2026 20:15', '30/11/2026 20:15', '2026-11-30T14:30:00Z'],
  ['a time with an offset', '2026-11-30T20:15+01:00', '01/12/2026 01:00', '2026-11-30T19:15:00Z'],
])('the end of an account, typed as %s, is in the zone of the page', async (_what, typed, shown, iso) => {
  const { manager, browser } = await start()
  const end = async () => {
    const known = await manager.users.show('bob')
    return known.ok ? Date.parse(known.viewer.attributes.accountEndsAt ?? '') : null
  }
  await browser.act('/people/add', { username: 'bob', until: typed })
  expect(await end()).toBe(Date.parse(iso))
  const { text } = await browser.get('/people/one/bob')
  expect(text).toContain(`name="until" value="${shown}"`)
  const version = /name="version" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await browser.act('/people/one/bob/edit', { version, groups: 'staff', attributes: '', until: shown })
  expect(await end()).toBe(Date.parse(iso))
  expect(manager.faults).toEqual([])
})

test('an end that cannot be read stays until another one is typed', async () => {
  const { manager, browser } = await start()
  await manager.users.add({ username: 'bob', groups: [], attributes: { accountEndsAt: 'soon' } }, null)
  const edit = async (until: string) => {
    const { text } = await browser.get('/people/one/bob')
    const version = /name="version" value="([^"]+)"/.exec(text)?.[1] ?? ''
    await browser.act('/people/one/bob/edit', { version, groups: 'staff', attributes: '', until })
    const known = await manager.users.show('bob')
    return known.ok ? known.viewer.attributes : null
  }
  expect(await edit('')).toEqual({ accountEndsAt: 'soon' })
  expect(await edit('never')).toEqual({})
})

test('times of a sheet are in the zone of the page', async () => {
  const { manager, browser } = await start()
  await browser.upload('/people/import', 'a.csv', 'email,bis\nbob,30.11.2026 20:15\neve,2026-11-30\n', { invite: 'on' })
  const { text } = await browser.get('/people/import/preview')
  expect(text).toContain('Mon, 30 Nov 2026, 20:15')
  await browser.act('/people/import/confirm')
  const known = await manager.users.show('bob')
  expect(known.ok && known.viewer.attributes).toEqual({ accountEndsAt: '2026-11-30T20:15:00+05:45' })
  const other = await manager.users.show('eve')
  expect(other.ok && other.viewer.attributes).toEqual({ accountEndsAt: '2026-11-30T23:59:59+05:45' })
})

test('reports ask for times of the page, and show them, in the sheet with the name of the zone', async () => {
  const asked: object[] = []
  const { manager, browser } = await start(
    {},
    {
      attendance({ period }) {
        asked.push(period)
        return Promise.resolve({ ok: true, data: [{ ...ATTENDANCE_ROW, first_in: '2026-11-24T20:00:00+01:00' }] })
      },
    },
  )
  const query = 'channel=1&from=2026-11-24T20:00&to=2026-11-24T22:00'
  expect((await browser.get(`/after/attendance?${query}`)).text).toContain('Wed, 25 Nov 2026, 00:45')
  expect(asked.at(-1)).toEqual({ from: '2026-11-24T20:00:00+05:45', to: '2026-11-24T22:00:00+05:45' })
  const headers = { Cookie: `manager=${browser.cookies.get('manager')}` }
  const sheet = await fetch(`${manager.origin}/after/attendance.csv?${query}`, { headers })
  const cells = new TextDecoder('utf-16le').decode(await sheet.arrayBuffer())
  expect(cells).toContain('First in (Asia/Kathmandu)\t')
  expect(cells).toContain('ada\tinvited\tcame\t2026-11-25 00:45:00')
})

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['', null],
])('MANAGER_TIME_ZONE=%s is read', (zone, read) => {
  expect(readManagerSettings({ ...SETTINGS, MANAGER_TIME_ZONE: zone }).timeZone).toBe(read)
})

test('a MANAGER_TIME_ZONE that no one knows stops the start', () => {
  expect(() => readManagerSettings({ ...SETTINGS, MANAGER_TIME_ZONE: 'Berlin' })).toThrow(
    'MANAGER_TIME_ZONE must be the name of a time zone, such as Europe/Berlin',
  )
})
