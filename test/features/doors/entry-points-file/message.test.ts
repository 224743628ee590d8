import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { doors } from '../../../../src/features/doors/feature.ts'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { ADA, startLoginApp } from '../../../login/start-login-app.ts'
import { APP_SETTINGS, SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { OWN_PAGE, refreshOf } from '../waiting/waiting.ts'

const { HASH_SECRET: secret, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS } = SETTINGS
const ENTRY = { name: 'default', secret, playerReturnUrl, playerOrigins: [PLAYER_ORIGINS] }
const OPENS = '2026-11-27T20:00Z'
const CLOSES = '2026-11-27T22:00Z'
const MESSAGE = { en: 'We start at 20:15 & not before <b>', de: 'Wir beginnen um 20:15' }

/** Starts the app an hour before its doors open, with doors from a file. */
async function startFromFile(doorsMessage?: unknown, waitingRoom = 'off') {
  const file = join(temporaryFolder(), 'entry-points.json')
  const write = (fields: object) => {
    const entry = { ...ENTRY, opensAt: OPENS, closesAt: CLOSES, waitingRoom, ...fields }
    writeFileSync(`${file}.next`, JSON.stringify([entry]))
    renameSync(`${file}.next`, file)
  }
  write({ doorsMessage })
  const { entryPoints } = readConfig({ ...APP_SETTINGS, ENTRY_POINTS_FILE: file })
  const app = await startLoginApp({
    entryPoints: entryPoints.map((one) => ({ ...ENTRY_POINT, ...one })),
    features: [doors],
  })
  app.clock.seconds = Date.parse(OPENS) / 1000 - 3600
  return { app, write, doorLines: () => app.lines.filter(({ event }) => event === 'doors') }
}

const announcementIn = ({ text }: { readonly text: string }) =>
  /class="announcement" dir="auto">(.*?)<\/p>/.exec(text)?.[1]

test('viewers who wait read a message that is set while they wait, in their language, until it ends', async () => {
  const { app, write, doorLines } = await startFromFile(undefined, 'on')
  const entered = await app.post('/sign-in', ADA, OWN_PAGE)
  const page = await app.get(entered.location ?? '', OWN_PAGE)
  const reload = async (language = 'en') =>
    announcementIn(await app.get(refreshOf(page).path, { ...OWN_PAGE, 'Accept-Language': language }))
  expect(announcementIn(page)).toBeUndefined()
  // The command promises 45 seconds: a reload, and a second for the file.
  expect(refreshOf(page).seconds).toBeLessThanOrEqual(44)
  write({ doorsMessage: MESSAGE })
  await expect.poll(doorLines).toHaveLength(1)
  expect(await reload()).toBe('We start at 20:15 &amp; not before &lt;b&gt;')
  expect(await reload('de')).toBe(MESSAGE.de)
  expect(await reload('fr')).toBe('We start at 20:15 &amp; not before &lt;b&gt;')
  write({})
  await expect.poll(doorLines).toHaveLength(2)
  expect(await reload()).toBeUndefined()
})

test('viewers who come before the opening read the message, and those who come after the end do not', async () => {
  const { app } = await startFromFile(MESSAGE.de)
  expect(announcementIn(await app.post('/sign-in', ADA))).toBe(MESSAGE.de)
  app.clock.seconds = Date.parse(CLOSES) / 1000
  expect(announcementIn(await app.post('/sign-in', ADA))).toBeUndefined()
})

test.each([
  ['two lines', 'We start\nat 20:15'],
  ['too many characters', 'x'.repeat(101)],
  ['a mark that turns the text around', 'We start \u202eat 20:15'],
  ['a mark of direction', 'We start at\u200f 20:15'],
  ['an unknown language', { tlh: 'qep' }],
  ['a number', 20.15],
  ['null', null],
])('a message with %s changes nothing, and the log says so', async (_what, doorsMessage) => {
  const { app, write, doorLines } = await startFromFile(MESSAGE.de)
  write({ doorsMessage })
  await expect.poll(doorLines).toEqual([expect.objectContaining({ level: 40, event: 'doors' })])
  expect(announcementIn(await app.post('/sign-in', ADA))).toBe(MESSAGE.de)
})
