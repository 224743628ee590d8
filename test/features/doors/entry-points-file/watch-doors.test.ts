import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { doorState } from '../../../../src/features/doors/doors.ts'
import { doors } from '../../../../src/features/doors/feature.ts'
import type { DoorSettings } from '../../../../src/features/doors/fields.ts'
import { watchDoors } from '../../../../src/features/doors/watch-doors.ts'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { ADA, startLoginApp } from '../../../login/start-login-app.ts'
import { APP_SETTINGS, SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

const { HASH_SECRET: secret, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS } = SETTINGS
const ENTRY = { name: 'default', secret, playerReturnUrl, playerOrigins: [PLAYER_ORIGINS] }
const EVENING = { opensAt: '2026-11-27T20:00Z', closesAt: '2026-11-27T22:00Z' }
const EVERY_MS = 20

let file: string
beforeEach(() => {
  file = join(temporaryFolder(), 'entry-points.json')
})

function write(...entries: object[]): void {
  writeFileSync(`${file}.next`, JSON.stringify(entries))
  renameSync(`${file}.next`, file)
}

function linkToDevice(): void {
  symlinkSync('/dev/zero', `${file}.next`)
  renameSync(`${file}.next`, file)
}

const secondsOf = (time: string) => Date.parse(`2026-11-27T${time}Z`) / 1000
const entryPointsOfFile = () => readConfig({ ...APP_SETTINGS, ENTRY_POINTS_FILE: file }).entryPoints

/** Watches the doors of the file. */
const watch = (...entries: object[]) => watchWith({ everyMs: EVERY_MS }, ...entries)

function watchWith(options: Parameters<typeof watchDoors>[2], ...entries: object[]) {
  write(...entries)
  const moved: unknown[] = []
  const faults: unknown[] = []
  const own = entryPointsOfFile().map((entryPoint) => ({
    entryPoint,
    settings: entryPoint.features.doors as DoorSettings,
  }))
  const events = {
    onChange: (name: string) => void moved.push(name),
    onFault: (_name: string, fault: string) => void faults.push(fault),
  }
  const { doorsOf, close } = watchDoors(own, events, options)
  onTestFinished(close)
  const start = own[0]?.settings ?? expect.unreachable('The file has no entry point')
  const stateAt = (time: string, name = 'default') => doorState(doorsOf(name, start).windows, secondsOf(time)).name
  return { moved, faults, stateAt }
}

/** Expects that a damaged file moves no door and is in the log, and that a later move is taken. */
async function expectUnmoved(
  { moved, faults, stateAt }: ReturnType<typeof watchWith>,
  damage: () => void,
  reason: RegExp,
): Promise<void> {
  damage()
  await expect.poll(() => faults).toEqual([expect.stringMatching(reason)])
  expect([stateAt('19:59'), stateAt('20:00'), stateAt('22:00')]).toEqual(['not-open-yet', 'open', 'over'])
  write({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T20:15Z' })
  await expect.poll(() => moved).toEqual(['default'])
  expect(stateAt('20:14')).toBe('not-open-yet')
}

test('an app follows a start that is moved twice, later and earlier, without a restart', async () => {
  write({ ...ENTRY, ...EVENING })
  const entryPoints = entryPointsOfFile().map((one) => ({ ...ENTRY_POINT, ...one }))
  const app = await startLoginApp({ entryPoints, features: [doors] })
  const statusAt = async (time: string) => {
    app.clock.seconds = secondsOf(time)
    return (await app.post('/sign-in', ADA)).status
  }
  const moves = (times: number) =>
    expect.poll(() => app.lines.filter(({ event }) => event === 'doors')).toHaveLength(times)
  expect([await statusAt('19:59'), await statusAt('20:00')]).toEqual([403, 303])
  write({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T20:15Z' })
  await moves(1)
  expect([await statusAt('20:14'), await statusAt('20:15')]).toEqual([403, 303])
  write({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T19:30Z', closesAt: '2026-11-27T21:00Z' })
  await moves(2)
  expect([await statusAt('19:29'), await statusAt('19:30')]).toEqual([403, 303])
  expect([await statusAt('20:59'), await statusAt('21:00')]).toEqual([303, 403])
})

test('each entry point has its own doors', async () => {
  const { moved, stateAt } = watch({ ...ENTRY, ...EVENING }, { ...ENTRY, name: 'gold', ...EVENING })
  write({ ...ENTRY, ...EVENING }, { ...ENTRY, name: 'gold', doorsWindows: ['2026-11-27T21:00Z/2026-11-27T22:00Z'] })
  await expect.poll(() => moved).toEqual(['gold'])
  expect([stateAt('20:30'), stateAt('20:30', 'gold'), stateAt('21:00', 'gold')]).toEqual([
    'open',
    'not-open-yet',
    'open',
  ])
})

test.each<[string, () => void, RegExp]>([
  [
    'has misspelled times',
    () => write({ ...ENTRY, openAt: EVENING.opensAt, closesAT: EVENING.closesAt }),
    /^openAt is/,
  ],
  [
    'has a misspelled end',
    () => write({ ...ENTRY, opensAt: EVENING.opensAt, closesAT: EVENING.closesAt }),
    /^closesAT/,
  ],
  ['has no times', () => write(ENTRY), /names no time/],
  ['is a device', linkToDevice, /cannot be read/],
  ['is large', () => writeFileSync(file, `[${' '.repeat(2_000_000)}]`), /cannot be read/],
])('a file that %s opens no door and stops no later move', async (_case, damage, reason) => {
  const watched = watch({ ...ENTRY, ...EVENING, opensAt: '2026-11-27T19:30Z' })
  // A move that is taken shows that the watch knows the fields of the file.
  write({ ...ENTRY, ...EVENING })
  await expect.poll(() => watched.moved).toEqual(['default'])
  watched.moved.pop()
  await expectUnmoved(watched, damage, reason)
})

test.each([
  ['is not JSON', () => writeFileSync(file, '[{'), /is not JSON/],
  ['is missing', () => rmSync(file), /cannot be read \(ENOENT\)/],
  ['has no such entry point', () => write({ ...ENTRY, name: 'gold' }), /has lost 1 of 1/],
  ['has a wrong time', () => write({ ...ENTRY, opensAt: '20:15' }), /opensAt must be a time with a zone/],
  ['has a time that is not text', () => write({ ...ENTRY, opensAt: 2015 }), /opensAt must be a time/],
  ['has windows that are not a list', () => write({ ...ENTRY, doorsWindows: {} }), /doorsWindows must name/],
  [
    'closes before it opens',
    () => write({ ...ENTRY, opensAt: EVENING.closesAt, closesAt: EVENING.opensAt }),
    /^closesAt/,
  ],
])('while the file %s, the doors stay as they are, and the log says why', async (_case, damage, reason) => {
  await expectUnmoved(watch({ ...ENTRY, ...EVENING }), damage, reason)
})

test('a file that is being written is not taken until two reads in a row agree', async () => {
  let texts = 0
  let isWriting = true
  const read = () => {
    if (isWriting) texts += 1
    return Promise.resolve(
      Buffer.from(JSON.stringify([{ ...ENTRY, closesAt: EVENING.closesAt, brandName: String(texts) }])),
    )
  }
  const { moved, stateAt } = watchWith({ read, everyMs: 2 }, { ...ENTRY, ...EVENING })
  await expect.poll(() => texts).toBeGreaterThan(9)
  expect([moved, stateAt('19:59')]).toEqual([[], 'not-open-yet'])
  isWriting = false
  await expect.poll(() => moved).toEqual(['default'])
})
