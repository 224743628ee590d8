import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { type DoorSettings, warningsOfDoors } from '../../../src/features/doors/fields.ts'
import { entryPointValues } from '../../../src/tools/cli/settings/config-tables.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { doorSettings } from './entry-point.ts'

const doorsOf = (environment: object) => readConfig({ ...SETTINGS, ...environment }).entryPoints[0]?.features.doors
const at = (text: string) => Date.parse(text) / 1000
const OPENS = '2099-11-27T20:00+01:00'
const CLOSES = '2099-11-27T22:00+01:00'
const LATER = '2099-11-28T22:00+01:00'

test('an entry point without a time has no doors', () => {
  expect(doorsOf({})).toBeUndefined()
  expect(doorsOf({ DOORS_TIME_ZONE: 'Europe/Berlin' })).toBeUndefined()
})

test.each([
  [{ OPENS_AT: OPENS, CLOSES_AT: CLOSES }, [[OPENS, CLOSES]], '+01:00'],
  [{ OPENS_AT: OPENS }, [[OPENS, null]], '+01:00'],
  [{ CLOSES_AT: '2099-11-27T21:00Z' }, [[null, CLOSES]], 'UTC'],
  [{ OPENS_AT: OPENS, DOORS_TIME_ZONE: 'Europe/Berlin' }, [[OPENS, null]], 'Europe/Berlin'],
  [
    { DOORS_WINDOWS: `${OPENS}/${CLOSES}, ${CLOSES}/${LATER}` },
    [
      [OPENS, CLOSES],
      [CLOSES, LATER],
    ],
    '+01:00',
  ],
])('the settings %j are read', (environment, windows, timeZone) => {
  const seconds = (text: string | null) => (text === null ? null : at(text))
  expect(doorsOf(environment)).toEqual({
    windows: windows.map(([opens = null, closes = null]) => ({
      opensAtSeconds: seconds(opens),
      closesAtSeconds: seconds(closes),
    })),
    timeZone,
    overUrl: null,
    message: null,
    file: null,
    hasWaitingRoom: false,
    lifetimeSeconds: 3600,
  })
})

test.each([
  [{ OPENS_AT: '20:15' }, 'OPENS_AT must be a time with a zone, such as 2026-11-27T20:00+01:00'],
  [{ CLOSES_AT: '2099-11-27T22:00' }, 'CLOSES_AT must be a time with a zone, such as 2026-11-27T20:00+01:00'],
  [{ OPENS_AT: CLOSES, CLOSES_AT: OPENS }, 'CLOSES_AT is not after the time at which the door opens'],
  [{ OPENS_AT: OPENS, CLOSES_AT: OPENS }, 'CLOSES_AT is not after the time at which the door opens'],
  [
    { OPENS_AT: OPENS, DOORS_WINDOWS: `${OPENS}/${CLOSES}` },
    'DOORS_WINDOWS replaces the times of one window: remove one or the other',
  ],
  [{ DOORS_WINDOWS: `${OPENS}/${CLOSES},${CLOSES}/${OPENS}` }, 'DOORS_WINDOWS: item 2 closes before it opens'],
  [
    { DOORS_WINDOWS: OPENS },
    'DOORS_WINDOWS: item 1 must be two times with a zone and / between, such as 2026-11-27T20:00+01:00/2026-11-27T22:00+01:00',
  ],
  [{ DOORS_TIME_ZONE: 'Mars/Phobos' }, 'DOORS_TIME_ZONE must be the name of a time zone, such as Europe/Berlin'],
  [{ DOORS_OVER_URL: 'http://www.example.com/' }, 'DOORS_OVER_URL must be an https: address'],
  [{ DOORS_OVER_URL: 'javascript:alert(1)' }, 'DOORS_OVER_URL must be an https: address'],
  [{ WAITING_ROOM: 'on' }, 'WAITING_ROOM needs a time at which the doors open, such as OPENS_AT'],
  [{ WAITING_ROOM: 'on', CLOSES_AT: CLOSES }, 'WAITING_ROOM needs a time at which the doors open, such as OPENS_AT'],
])('the settings %j are refused', (environment, sentence) => {
  expect(mistakesIn({ ...SETTINGS, ...environment })).toEqual([sentence])
})

test('WAITING_ROOM=on belongs to doors that open', () => {
  expect(doorsOf({ OPENS_AT: OPENS, WAITING_ROOM: 'on' })).toMatchObject({ hasWaitingRoom: true })
  expect(doorsOf({ DOORS_WINDOWS: `${OPENS}/${CLOSES}`, WAITING_ROOM: 'on' })).toMatchObject({ hasWaitingRoom: true })
})

test.each([
  ['doors that open later', {}, 0, []],
  ['doors that are over', {}, 200, [/: the doors closed on Thursday, January 1, 1970 .* no viewer can watch/]],
  [
    'a window of several that is in the past',
    { windows: [window(100, 200), window(300, 400)] },
    250,
    [/: 1 of 2 windows are in the past/],
  ],
  ['a response that lives longer than the window', { lifetimeSeconds: 101 }, 0, [/ 101 s, .* open for 100 s/]],
  ['a response that lives as long as the window', { lifetimeSeconds: 100 }, 0, []],
  ['doors without an end', { windows: [window(100, null)], lifetimeSeconds: 1e9 }, 0, []],
])('%s give the right warnings', (_case, changes: Partial<DoorSettings>, nowSeconds, expected) => {
  const warnings = warningsOfDoors(doorSettings({ windows: [window(100, 200)], ...changes }), 'gold', nowSeconds)
  expect(warnings).toEqual(expected.map((pattern) => expect.stringMatching(pattern)))
})

test('config check shows the times as they are written', () => {
  const windows = `${OPENS}/${CLOSES}`
  const shown = (environment: Record<string, string>) => {
    const env = { ...SETTINGS, ...environment }
    const config = readConfig(env)
    const [entryPoint = expect.unreachable('There is no entry point')] = config.entryPoints
    return entryPointValues(config, entryPoint, env)
  }
  expect(shown({ OPENS_AT: OPENS })).toMatchObject({ OPENS_AT: OPENS, CLOSES_AT: 'none', DOORS_WINDOWS: 'none' })
  expect(shown({ DOORS_WINDOWS: windows })).toMatchObject({ DOORS_WINDOWS: windows })
})

test('the start warns of doors that are over', () => {
  const { warnings } = readConfig({ ...SETTINGS, CLOSES_AT: '2020-01-01T00:00Z' })
  expect(warnings).toEqual([expect.stringContaining('Entry point default: the doors closed on')])
})

function window(opensAtSeconds: number | null, closesAtSeconds: number | null) {
  return { opensAtSeconds, closesAtSeconds }
}
