import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import {
  readEveningPlace,
  withBorrowedDoors,
} from '../../../../../../../src/tools/features/doors/drill/evening/evening-doors.ts'
import { SETTINGS } from '../../../../../../settings.ts'
import { temporaryFolder } from '../../../../../../users/temporary-folder.ts'
import { runHere } from '../../../../../cli/run-here.ts'

const { HASH_SECRET, PLAYER_RETURN_URL, PLAYER_ORIGINS, ...APP } = { ...SETTINGS, PUBLIC_URL: 'http://localhost:3000' }
const PLAYER = { secret: HASH_SECRET, playerReturnUrl: PLAYER_RETURN_URL, playerOrigins: [PLAYER_ORIGINS] }
const GOLD = { name: 'gold', ...PLAYER, opensAt: '2099-11-27T20:00+01:00' }
const stderr = new PassThrough()
const SILVER = { ...GOLD, name: 'silver', secret: `${HASH_SECRET}ff` }

function withFile(...entries: readonly object[]) {
  const file = join(temporaryFolder(), 'entry-points.json')
  const text = JSON.stringify(entries)
  writeFileSync(file, text)
  return { env: { ...APP, ENTRY_POINTS_FILE: file }, text, read: () => readFileSync(file, 'utf8') }
}

test('an evening is at the only entry point with doors, or at the chosen one', () => {
  const { env } = withFile(GOLD, { name: 'default', ...PLAYER, secret: `${HASH_SECRET}00` })
  expect(readEveningPlace(undefined, env, [])).toMatchObject({
    name: 'gold',
    state: expect.stringContaining('They open on'),
  })
  expect(readEveningPlace(undefined, env, []).url.href).toBe('http://localhost:3000/e/gold')
  const address = 'http://localhost:3000/e/silver?ustreamContentType=channel'
  expect(readEveningPlace(address, withFile(GOLD, SILVER).env, [])).toMatchObject({
    name: 'silver',
    url: new URL(address),
  })
})

const OF_ENVIRONMENT = { ...SETTINGS, PUBLIC_URL: APP.PUBLIC_URL, OPENS_AT: '2099-11-27T20:00+01:00' }

test.each<[string, () => object, string | undefined, RegExp]>([
  [
    'no doors',
    () => ({ ...SETTINGS, PUBLIC_URL: APP.PUBLIC_URL }),
    undefined,
    /no entry point has them\. Set opensAt and closesAt/,
  ],
  ['doors of the environment', () => OF_ENVIRONMENT, undefined, /cannot move them.*JSON file/],
  ['several entry points with doors', () => withFile(GOLD, SILVER).env, undefined, /with one of: .*gold .*silver/],
  ['another app on this machine', () => withFile(GOLD).env, 'http://localhost:4000/e/gold', /settings of .*:3000/],
  [
    'an app for viewers',
    () => ({ ...withFile(GOLD).env, PUBLIC_URL: 'https://login.example' }),
    undefined,
    /DRILL_URLS/,
  ],
  ['an entry point without doors', () => withFile(GOLD).env, 'http://localhost:3000/', /no doors. These have: .*gold/],
])('drill --evening refuses %s, and says what to set', (_case, env, url, message) => {
  expect(() => readEveningPlace(url, env() as Record<string, string>, [])).toThrow(message)
})

test.each([
  ['--at', '1s=true'],
  ['--wrong', '5'],
  ['--over', '9s'],
])('drill --evening with %s %s is wrong usage', async (...option) => {
  expect((await runHere(['drill', '--evening', ...option], { cwd: temporaryFolder() })).status).toBe(2)
})

test.each([
  [{}],
  [{ opensAt: undefined, closesAt: '2099-11-27T22:00+01:00' }],
  [{ opensAt: undefined, doorsWindows: ['2099-11-27T20:00+01:00/2099-11-27T22:00+01:00'] }],
])('doors with %j are moved, and are then exactly as before, also after a failure', async (doors) => {
  const { env, text, read } = withFile({ ...GOLD, ...doors }, SILVER)
  const place = readEveningPlace('http://localhost:3000/e/gold', env, [])
  const moving = withBorrowedDoors({ stderr }, place, ({ move }) => {
    move('2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z')
    move('2026-01-01T10:30:00Z', '2026-01-01T11:00:00Z')
    for (const time of ['10:30:00Z', '11:00:00Z']) expect(read()).toContain(time)
    expect(readEveningPlace('http://localhost:3000/e/gold', env, []).state).toContain('closed for good')
    return Promise.reject(new Error('broken'))
  })
  await expect(moving).rejects.toThrow('broken')
  expect(read()).toBe(text)
})

test('doors that an operator moved meanwhile stay, and the message has the times of before', async () => {
  const { env, read } = withFile(GOLD)
  const place = readEveningPlace(undefined, env, [])
  const moving = withBorrowedDoors({ stderr }, place, ({ move }) => {
    move('2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z')
    writeFileSync(env.ENTRY_POINTS_FILE, JSON.stringify([{ ...GOLD, opensAt: '2099-12-01T20:00Z' }]))
    return Promise.resolve()
  })
  await expect(moving).rejects.toThrow('"opensAt":"2099-11-27T20:00+01:00"')
  expect(read()).toContain('2099-12-01T20:00Z')
})
