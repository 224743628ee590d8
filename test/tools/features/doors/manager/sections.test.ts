import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEntryPointSettings } from '../../../../../src/config.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { ATTENDANCE_ROW, NO_CHANNELS } from '../../../manager/report-answers.ts'
import { START_SECONDS, startManager } from '../../../manager/start-manager.ts'

const ENTRY = {
  name: 'default',
  secret: '3f9a1c7be2d846509817abcdef43210fe',
  playerReturnUrl: 'http://127.0.0.1:4000/pass',
  playerOrigins: ['http://127.0.0.1:4000'],
  opensAt: '2090-11-24T20:00:00Z',
  closesAt: '2090-11-24T22:00:00Z',
}

async function withDoors(times: object = {}) {
  const file = join(temporaryFolder(), 'entry-points.json')
  writeFileSync(file, JSON.stringify([{ ...ENTRY, ...times }]))
  const env = { PUBLIC_URL: 'http://localhost:3000', ENTRY_POINTS_FILE: file }
  const entryPoints = () => readEntryPointSettings(env).entryPoints
  const manager = await startManager({ env, entryPoints })
  const doors = () =>
    entryPoints()[0]?.features.doors as { windows: { opensAtSeconds: number; closesAtSeconds: number }[] }
  return { manager, browser: await manager.signedIn(), window: () => doors().windows[0] }
}

const OPENS = Date.parse(ENTRY.opensAt) / 1000
const SEEN = `${OPENS}/${OPENS + 7200}`

test('two managers who move the start at once move it by fifteen minutes, and a double click is one act', async () => {
  const { manager, browser, window } = await withDoors()
  const other = await manager.signedIn('event-manager', null, 'joe@example.com')
  await browser.get('/doors')
  const fields = { minutes: '15', seen: SEEN, both: 'on' }
  expect((await browser.act('/doors/default/move', fields)).text).toContain(
    'default: not open yet now. Opens: Fri, 24 Nov 2090, 20:15',
  )
  expect(window()).toMatchObject({ opensAtSeconds: OPENS + 900, closesAtSeconds: OPENS + 7200 + 900 })
  expect((await browser.act('/doors/default/move', fields)).text).toContain(
    'default: not open yet now. Opens: Fri, 24 Nov 2090, 20:15',
  )
  await other.get('/doors')
  expect((await other.act('/doors/default/move', fields)).text).toContain('Another person moved the doors')
  expect(window()?.opensAtSeconds).toBe(OPENS + 900)
  expect(
    manager.acts().filter(({ outcome }) => outcome === 'doors-move-done' || /move/.test(String(outcome))),
  ).toHaveLength(2)
})

test.each([
  ['minutes that no button has', '/doors/default/move', { minutes: '100000', seen: SEEN }],
  ['an end before the start', '/doors/default/set', { seen: SEEN, closes: '2090-11-24T19:00' }],
  ['no time', '/doors/default/set', { seen: SEEN }],
  ['an option in place of a time', '/doors/default/set', { seen: SEEN, opens: '--json' }],
  ['an unknown entry point', '/doors/other/open', { seen: SEEN }],
])('doors stay as they are with %s', async (_what, path, fields) => {
  const { manager, browser, window } = await withDoors()
  await browser.get('/doors')
  await browser.post(path, fields)
  expect(window()).toMatchObject({ opensAtSeconds: OPENS })
  expect(manager.acts().at(-1)?.outcome).toMatch(/-refused$/)
})

test.each([
  ['open', {}],
  ['close', {}],
  ['move', { minutes: '15' }],
  ['set', { opens: '2090-11-24T19:30' }],
])('the form "%s" of a page of before is refused, with the new times and what was typed', async (act, fields) => {
  const { browser, window } = await withDoors()
  await browser.get('/doors')
  const earlier = await browser.post(`/doors/default/${act}`, { seen: `${OPENS - 900}/${OPENS + 7200}`, ...fields })
  expect(earlier.status).toBe(409)
  expect(earlier.text).toContain('Another person moved the doors of default in the meantime')
  expect(earlier.text).toContain('Opens now: Fri, 24 Nov 2090, 20:00.')
  if (act === 'set') expect(earlier.text).toContain('name="opens" value="2090-11-24T19:30"')
  expect((await browser.post(`/doors/default/${act}`, fields)).status).toBe(409)
  expect(window()).toEqual({ opensAtSeconds: OPENS, closesAtSeconds: OPENS + 7200 })
})

test('the start is moved earlier, and the button puts it back', async () => {
  const { browser, window } = await withDoors()
  await browser.get('/doors')
  const { text } = await browser.act('/doors/default/move', { seen: SEEN, minutes: '-30' })
  expect(window()).toEqual({ opensAtSeconds: OPENS - 1800, closesAtSeconds: OPENS + 7200 })
  expect((await browser.act('/doors/default/set', undoOf(text))).text).toContain('Opens: Fri, 24 Nov 2090, 20:00')
  expect(window()).toEqual({ opensAtSeconds: OPENS, closesAtSeconds: OPENS + 7200 })
})

/** Returns the fields of the button that undoes an act. */
function undoOf(text: string): Record<string, string> {
  const [form = ''] = /<form method="post" action="\/doors\/default\/set">.*?Undo/.exec(text) ?? []
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

const OPEN = { opens: START_SECONDS - 3600, closes: START_SECONDS + 3600 }
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

test.each([
  ['close', {}, 'New end: Fri, 15 Jan 2027, 08:00', { closesAtSeconds: START_SECONDS }],
  ['move', { minutes: '60' }, null, { opensAtSeconds: START_SECONDS }],
  [
    'set',
    { opens: '15.01.2027 08:30' },
    'This closes it until Fri, 15 Jan 2027, 08:30',
    { opensAtSeconds: START_SECONDS + 1800 },
  ],
  [
    'set',
    { closes: '2027-01-15T07:30' },
    'New end: Fri, 15 Jan 2027, 07:30',
    { closesAtSeconds: START_SECONDS - 1800 },
  ],
])('while the event is open, "%s" with %j asks before it closes the doors', async (act, fields, question, times) => {
  const { browser, window, manager } = await withDoors({
    opensAt: iso(OPEN.opens),
    closesAt: iso(OPEN.closes),
    doorsTimeZone: 'UTC',
  })
  const before = { opensAtSeconds: OPEN.opens, closesAtSeconds: OPEN.closes }
  const { text } = await browser.get('/doors')
  expect(text).not.toContain('name="minutes"')
  const form = { seen: `${OPEN.opens}/${OPEN.closes}`, ...fields }
  const asked = await browser.post(`/doors/default/${act}`, form)
  if (question === null) return expect(window()).toEqual({ ...before, ...times })
  expect(window()).toEqual(before)
  expect(asked.status).toBe(409)
  expect(asked.text).toContain(question)
  expect(manager.acts().at(-1)?.outcome).toMatch(/-refused$/)
  const agreed = Object.fromEntries(
    [...asked.text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  const changed = await browser.act(`/doors/default/${act}`, agreed)
  expect(window()).toEqual({ ...before, ...times })
  await browser.act('/doors/default/set', undoOf(changed.text))
  expect(window()).toEqual(before)
})

test('the question counts those who wait and those who came in', async () => {
  const { browser, manager } = await withDoors({ opensAt: iso(OPEN.opens), closesAt: iso(OPEN.closes) })
  const line = (viewer: string, outcome: string) =>
    JSON.stringify({
      category: 'security',
      time: iso(START_SECONDS - 60),
      event: 'sign-in',
      outcome,
      viewer,
      entryPoint: 'default',
      address: '192.0.2.1',
    })
  const lines = [line('ada', 'signed-in'), line('bob', 'signed-in'), line('eve', 'waiting')]
  writeFileSync(manager.env.SECURITY_LOG_FILE, `${lines.join('\n')}\n`)
  await browser.get('/doors')
  manager.clock.seconds += 10
  const close = () => browser.post('/doors/default/close', { seen: `${OPEN.opens}/${OPEN.closes}` })
  // Without the log in time, the page says that the numbers are not known.
  await expect.poll(async () => (await close()).text).toMatch(/Waiting: 1\. Came in since [^.]+: 2\./)
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
  expect(sheet.headers.get('Content-Disposition')).toContain('Attendance 2026-11-24.csv')
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
