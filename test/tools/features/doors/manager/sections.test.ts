import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEntryPointSettings } from '../../../../../src/config.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { ATTENDANCE_ROW, NO_CHANNELS } from '../../../manager/report-answers.ts'
import { startManager } from '../../../manager/start-manager.ts'

const ENTRY = {
  name: 'default',
  secret: '3f9a1c7be2d846509817abcdef43210fe',
  playerReturnUrl: 'http://127.0.0.1:4000/pass',
  playerOrigins: ['http://127.0.0.1:4000'],
  opensAt: '2090-11-24T20:00:00Z',
  closesAt: '2090-11-24T22:00:00Z',
}

async function withDoors() {
  const file = join(temporaryFolder(), 'entry-points.json')
  writeFileSync(file, JSON.stringify([ENTRY]))
  const env = { PUBLIC_URL: 'http://localhost:3000', ENTRY_POINTS_FILE: file }
  const entryPoints = () => readEntryPointSettings(env).entryPoints
  const manager = await startManager({ env, entryPoints })
  const doors = () =>
    entryPoints()[0]?.features.doors as { windows: { opensAtSeconds: number; closesAtSeconds: number }[] }
  return { manager, browser: await manager.signedIn(), window: () => doors().windows[0] }
}

const OPENS = Date.parse(ENTRY.opensAt) / 1000

test('two managers who move the start at once move it by fifteen minutes, and a double click is one act', async () => {
  const { manager, browser, window } = await withDoors()
  const other = await manager.signedIn('event-manager', null, 'joe@example.com')
  await browser.get('/doors')
  const fields = { minutes: '15', opensAt: String(OPENS), both: 'on' }
  expect((await browser.act('/doors/default/move', fields)).text).toContain('The times of default are changed')
  expect(window()).toMatchObject({ opensAtSeconds: OPENS + 900, closesAtSeconds: OPENS + 7200 + 900 })
  expect((await browser.act('/doors/default/move', fields)).text).toContain('The times of default are changed')
  await other.get('/doors')
  expect((await other.act('/doors/default/move', fields)).text).toContain('Another person moved the doors')
  expect(window()?.opensAtSeconds).toBe(OPENS + 900)
  expect(
    manager.acts().filter(({ outcome }) => outcome === 'doors-move-done' || /move/.test(String(outcome))),
  ).toHaveLength(2)
})

test.each([
  ['minutes that no button has', '/doors/default/move', { minutes: '100000', opensAt: String(OPENS) }],
  ['no time', '/doors/default/set', {}],
  ['an option in place of a time', '/doors/default/set', { opens: '--json' }],
  ['an unknown entry point', '/doors/other/open', {}],
])('doors stay as they are with %s', async (_what, path, fields) => {
  const { manager, browser, window } = await withDoors()
  await browser.get('/doors')
  await browser.post(path, fields)
  expect(window()).toMatchObject({ opensAtSeconds: OPENS })
  expect(manager.acts().at(-1)?.outcome).toMatch(/-refused$/)
})

test.each([
  ['no channel', 'channel=&from=2026-11-24T20:00&to=2026-11-24T22:00'],
  ['an option in place of a channel', 'channel=--help&from=2026-11-24T20:00&to=2026-11-24T22:00'],
  ['no time', 'channel=1&from=x&to=2026-11-24T22:00'],
  ['minutes that are not a number', 'channel=1&from=2026-11-24T20:00&to=2026-11-24T22:00&atLeast=x'],
])('a report with %s asks again', async (_what, query) => {
  const manager = await startManager({ reports: NO_CHANNELS })
  const browser = await manager.signedIn('reader')
  expect(await browser.get(`/after/attendance?${query}`)).toMatchObject({ status: 400 })
  expect(manager.faults).toEqual([])
})

test('attendance is a page, and a sheet that Excel opens', async () => {
  const row = {
    ...ATTENDANCE_ROW,
    viewer: '=ada',
    first_in: '2026-11-24T20:00:00+01:00',
    minutes: 61.5,
    groups: ['a', 'b'],
  }
  const attendance = () => Promise.resolve({ ok: true, data: [row] } as const)
  const manager = await startManager({ reports: { attendance }, timeZone: 'Europe/Berlin' })
  const browser = await manager.signedIn('reader')
  const query = 'channel=1&from=2026-11-24T20:00&to=2026-11-24T22:00&atLeast=45'
  const { text } = await browser.get(`/after/attendance?${query}`)
  expect(text).toContain('=ada')
  expect(text).toContain('61.5')
  const sheet = await fetch(`${manager.origin}/after/attendance.csv?${query}`, {
    headers: { Cookie: `manager=${browser.cookies.get('manager')}` },
  })
  expect(sheet.headers.get('Content-Disposition')).toContain('attendance.csv')
  const cells = new TextDecoder('utf-16le').decode(await sheet.arrayBuffer())
  expect(cells).toContain("'=ada\tinvited\tcame\t2026-11-24 20:00:00\t\t61.5\ta; b")
})

test('reports are for managers of all entry points', async () => {
  const manager = await startManager({ entryPoints: [{ ...ENTRY_POINT, name: 'gold', allowedGroups: ['gold'] }] })
  const browser = await manager.signedIn('reader', ['gold'])
  for (const path of ['/after', '/after/attendance', '/after/views.csv']) {
    const query = '?channel=1&from=2026-11-24T20:00&to=2026-11-24T22:00'
    expect((await browser.get(path + query)).text).toContain('Only managers of all entry points see its reports')
  }
})
