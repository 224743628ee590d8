import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { doors } from '../../../../src/features/doors/feature.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { ENTRY, startFromFile } from '../../entry-points-file/app-from-file.ts'
import { OWN_PAGE, refreshOf } from '../waiting/waiting.ts'

const EVENING = { opensAt: '2026-11-27T20:00Z', closesAt: '2026-11-27T22:00Z' }
const GOLD = { ...ENTRY, name: 'gold', secret: '8045e2d84560af13c9d27e6b3f9a1c7b', ...EVENING }

/** Starts an app whose doors are in the file. */
async function startWithDoors(...entries: readonly object[]) {
  const { app, linesOf, ...file } = await startFromFile([doors], ...entries)
  return {
    ...file,
    app,
    /** True if a viewer may watch at a time of the evening. */
    async isOpen(time: string, path = ''): Promise<boolean> {
      app.clock.seconds = Date.parse(`2026-11-27T${time}Z`) / 1000
      return (await app.post(`${path}/sign-in`, ADA)).status === 303
    },
    linesOf,
    lines: (event: string, count: number) => expect.poll(() => linesOf(event), { timeout: 5_000 }).toHaveLength(count),
  }
}

test('an app follows a start that is moved twice, later and earlier, without a restart', async () => {
  const { write, lines, isOpen } = await startWithDoors({ ...ENTRY, ...EVENING })
  expect([await isOpen('19:59'), await isOpen('20:00')]).toEqual([false, true])
  write({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T20:15Z' })
  await lines('doors', 1)
  expect([await isOpen('20:14'), await isOpen('20:15')]).toEqual([false, true])
  write({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T19:30Z', closesAt: '2026-11-27T21:00Z' })
  await lines('doors', 2)
  expect([await isOpen('19:29'), await isOpen('19:30')]).toEqual([false, true])
  expect([await isOpen('20:59'), await isOpen('21:00')]).toEqual([true, false])
})

test('each entry point has its own doors, also one that is new', async () => {
  const { write, lines, linesOf, isOpen } = await startWithDoors({ ...ENTRY, ...EVENING }, GOLD)
  const late = { doorsWindows: ['2026-11-27T21:00Z/2026-11-27T22:00Z'] }
  const { opensAt, closesAt, ...gold } = GOLD
  write({ ...ENTRY, ...EVENING }, { ...gold, ...late }, { ...GOLD, name: 'new' })
  await lines('doors', 1)
  expect(linesOf('doors')).toEqual([expect.objectContaining({ entryPoint: 'gold' })])
  expect([await isOpen('20:30'), await isOpen('20:30', '/e/gold'), await isOpen('21:00', '/e/gold')]).toEqual([
    true,
    false,
    true,
  ])
  expect([await isOpen('19:59', '/e/new'), await isOpen('20:00', '/e/new')]).toEqual([false, true])
  write({ ...ENTRY, ...EVENING }, { ...gold, ...late }, { ...GOLD, name: 'new', opensAt: '2026-11-27T20:10Z' })
  await lines('doors', 2)
  expect([await isOpen('20:09', '/e/new'), await isOpen('20:10', '/e/new')]).toEqual([false, true])
})

const withEvening = (fields: object) => (file: string) =>
  writeFileSync(file, JSON.stringify([{ ...ENTRY, ...EVENING, ...fields }]))

test.each<[string, (file: string) => void, RegExp]>([
  [
    'has misspelled times',
    withEvening({ opensAt: undefined, openAt: EVENING.opensAt }),
    /openAt \(did you mean opensAt/,
  ],
  ['has no times', withEvening({ opensAt: undefined, closesAt: undefined }), /"restart":\{"default":\["doors"\]\}/],
  ['is not JSON', (file) => writeFileSync(file, '[{'), /not JSON/],
  ['is missing', (file) => rmSync(file), /cannot be read \(ENOENT\)/],
  ['has no such entry point', (file) => writeFileSync(file, JSON.stringify([GOLD])), /has lost 1 of 1/],
  ['has a wrong time', withEvening({ opensAt: '20:15' }), /opensAt must be a time with a zone/],
  ['has a time that is not text', withEvening({ opensAt: 2015 }), /opensAt must be/],
  ['closes before it opens', withEvening({ opensAt: EVENING.closesAt, closesAt: EVENING.opensAt }), /closesAt is not/],
  [
    'is a device',
    (file) => {
      rmSync(file)
      symlinkSync('/dev/zero', file)
    },
    /cannot be read/,
  ],
])('a file that %s opens no door, the log says why, and a later move counts', async (_what, damage, reason) => {
  const { app, file, write, lines, isOpen } = await startWithDoors({ ...ENTRY, ...EVENING })
  damage(file)
  const warnings = () => app.lines.filter(({ level }) => Number(level) >= 40).map((line) => JSON.stringify(line))
  await expect.poll(warnings, { timeout: 5_000 }).toEqual([expect.stringMatching(reason)])
  expect([await isOpen('19:59'), await isOpen('20:00'), await isOpen('22:00')]).toEqual([false, true, false])
  rmSync(file, { force: true })
  write({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T20:15Z' })
  await lines('doors', 1)
  expect([await isOpen('20:14'), await isOpen('20:15')]).toEqual([false, true])
})

test('settings that wait for a restart do not keep the doors from moving', async () => {
  const { write, lines, isOpen } = await startWithDoors({ ...ENTRY, ...EVENING })
  write({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T20:15Z', firstWay: 'password' })
  await lines('doors', 1)
  expect([await isOpen('20:14'), await isOpen('20:15')]).toEqual([false, true])
})

test('viewers who wait pass at their next reload after a move to an earlier time', async () => {
  const { app, write, lines } = await startWithDoors({ ...ENTRY, ...EVENING, waitingRoom: 'on' })
  app.clock.seconds = Date.parse('2026-11-27T19:50Z') / 1000
  const { location = '' } = await app.post('/sign-in', ADA, OWN_PAGE)
  const page = await app.get(location, OWN_PAGE)
  write({ ...ENTRY, ...EVENING, waitingRoom: 'on', opensAt: '2026-11-27T19:40Z' })
  await lines('doors', 1)
  expect((await app.get(refreshOf(page).path, { ...OWN_PAGE, 'Sec-Fetch-Mode': 'navigate' })).status).toBe(303)
})
