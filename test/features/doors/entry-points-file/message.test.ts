import { expect, test } from 'vitest'
import { doors } from '../../../../src/features/doors/feature.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { ENTRY, startFromFile } from '../../entry-points-file/app-from-file.ts'
import { OWN_PAGE, refreshOf } from '../waiting/waiting.ts'

const OPENS = '2026-11-27T20:00Z'
const CLOSES = '2026-11-27T22:00Z'
const MESSAGE = { en: 'We start at 20:15 & not before <b>', de: 'Wir beginnen um 20:15' }

/** Starts the app an hour before its doors open, with doors from a file. */
async function startWithMessage(doorsMessage?: unknown, waitingRoom = 'off') {
  const own = { ...ENTRY, opensAt: OPENS, closesAt: CLOSES, waitingRoom }
  const { app, write, linesOf } = await startFromFile([doors], { ...own, doorsMessage })
  app.clock.seconds = Date.parse(OPENS) / 1000 - 3600
  return {
    app,
    write: (fields: object) => write({ ...own, ...fields }),
    lines: (event: string, count: number) => expect.poll(() => linesOf(event), { timeout: 5_000 }).toHaveLength(count),
  }
}

const announcementIn = ({ text }: { readonly text: string }) =>
  /class="announcement" dir="auto">(.*?)<\/p>/.exec(text)?.[1]

test('viewers who wait read a message that is set while they wait, in their language, until it ends', async () => {
  const { app, write, lines } = await startWithMessage(undefined, 'on')
  const entered = await app.post('/sign-in', ADA, OWN_PAGE)
  const page = await app.get(entered.location ?? '', OWN_PAGE)
  const reload = async (language = 'en') =>
    announcementIn(await app.get(refreshOf(page).path, { ...OWN_PAGE, 'Accept-Language': language }))
  expect(announcementIn(page)).toBeUndefined()
  // The command promises 45 seconds: a reload, and a second for the file.
  expect(refreshOf(page).seconds).toBeLessThanOrEqual(44)
  write({ doorsMessage: MESSAGE })
  await lines('doors', 1)
  expect(await reload()).toBe('We start at 20:15 &amp; not before &lt;b&gt;')
  expect(await reload('de')).toBe(MESSAGE.de)
  expect(await reload('fr')).toBe('We start at 20:15 &amp; not before &lt;b&gt;')
  write({})
  await lines('doors', 2)
  expect(await reload()).toBeUndefined()
})

test('viewers who come before the opening read the message, and those who come after the end do not', async () => {
  const { app } = await startWithMessage(MESSAGE.de)
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
  const { app, write, lines } = await startWithMessage(MESSAGE.de)
  write({ doorsMessage })
  await lines('entry-points', 1)
  expect(app.lines.at(-1)).toMatchObject({ level: 40, fault: expect.stringContaining('doorsMessage') })
  expect(announcementIn(await app.post('/sign-in', ADA))).toBe(MESSAGE.de)
})
