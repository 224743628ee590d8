import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readConfig, readEntryPointSettings } from '../../../src/config.ts'
import { responseOf } from '../../login/response-of.ts'
import { signIn } from '../../login/signed-in.ts'
import { ADA } from '../../login/start-login-app.ts'
import { APP_SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { ENTRY, startFromFile } from './app-from-file.ts'

const NEWS = { ...ENTRY, name: 'news', secret: '8045e2d84560af13c9d27e6b3f9a1c7b' }
const NEW_SECRET = 'c04d8e1f5b7a926330e9d17f48c2ab66'
const SPORT = { ...ENTRY, name: 'sport', secret: 'b81f4c02d97e36a5f0c8127d6e9a4b53' }
/** The changes that the log has. */
const changesIn = ({ linesOf }: Awaited<ReturnType<typeof startFromFile>>, lines: number) =>
  expect.poll(() => linesOf('entry-points'), { timeout: 5_000 }).toHaveLength(lines)

test('a new entry point answers, a changed secret signs the next response, and a removed one is gone', async () => {
  const started = await startFromFile([], ENTRY, NEWS, SPORT)
  const { app, write, linesOf } = started
  const locationAt = async (name: string) => (await app.post(`/e/${name}/sign-in`, ADA)).location
  expect((await app.get('/e/music')).status).toBe(404)
  responseOf(await locationAt('news'), NEWS.secret)
  write(ENTRY, { ...NEWS, secret: NEW_SECRET }, { ...SPORT, name: 'music' })
  await changesIn(started, 1)
  expect(linesOf('entry-points')).toEqual([
    expect.objectContaining({ level: 30, added: ['music'], changed: ['news'], removed: ['sport'] }),
  ])
  responseOf(await locationAt('music'), SPORT.secret)
  responseOf(await locationAt('news'), NEW_SECRET)
  expect([(await app.get('/e/sport')).status, (await app.get('/e/music')).status]).toEqual([404, 200])
})

test('the entry point at / may change, go and come back, and a session lives on', async () => {
  const started = await startFromFile([], ENTRY, NEWS)
  const { app, write } = started
  const session = { Cookie: await signIn(app) }
  const locationAt = async (path: string) => (await app.get(path, session)).location
  write({ ...ENTRY, secret: NEW_SECRET }, NEWS)
  await changesIn(started, 1)
  responseOf(await locationAt('/'), NEW_SECRET)
  write(NEWS)
  await changesIn(started, 2)
  expect([(await app.get('/')).status, (await app.get('/e/default')).status]).toEqual([404, 404])
  write(NEWS, ENTRY)
  await changesIn(started, 3)
  responseOf(await locationAt('/'), ENTRY.secret)
  responseOf(await locationAt('/e/news'), NEWS.secret)
})

test.each<[string, (file: string) => void, RegExp]>([
  ['is half written', (file) => truncateSync(file, readFileSync(file).length - 20), /not JSON/],
  [
    'has a mistake',
    (file) => writeFileSync(file, JSON.stringify([ENTRY, { ...SPORT, playerOrigin: 'a' }])),
    /playerOrigin /,
  ],
  ['names an entry point twice', (file) => writeFileSync(file, JSON.stringify([ENTRY, SPORT, SPORT])), /earlier entry/],
  ['is gone', (file) => renameSync(file, `${file}.old`), /cannot be read/],
  ['has lost most entry points', (file) => writeFileSync(file, JSON.stringify([ENTRY])), /has lost 2 of 3 items/],
])('a file that %s changes nothing, and the log says so once', async (_what, damage, fault) => {
  const started = await startFromFile([], ENTRY, NEWS, SPORT)
  const { app, file, write, linesOf } = started
  damage(file)
  await changesIn(started, 1)
  expect(linesOf('entry-points')).toEqual([expect.objectContaining({ level: 40, fault: expect.stringMatching(fault) })])
  await sleep(1_500)
  expect(linesOf('entry-points')).toHaveLength(1)
  expect([(await app.get('/e/news')).status, (await app.get('/health/ready')).status]).toEqual([200, 200])
  expect(app.lines.map((line) => JSON.stringify(line)).join()).not.toContain(NEWS.secret)
  write(ENTRY, NEWS, SPORT, { ...SPORT, name: 'music' })
  await expect.poll(async () => (await app.get('/e/music')).status, { timeout: 5_000 }).toBe(200)
})

test('a new logo is served, and open pages still load the earlier one', async () => {
  const folder = temporaryFolder()
  const logo = (color: string) => {
    const path = join(folder, `${color}.svg`)
    writeFileSync(path, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" fill="${color}"/>`)
    return path
  }
  const started = await startFromFile([], { ...ENTRY, brandName: 'News', brandLogoFile: logo('red') })
  const { app, write } = started
  const addressIn = async () => /\/assets\/brand-[^"]+/.exec((await app.get('/')).text)?.[0] ?? ''
  const before = await addressIn()
  write({ ...ENTRY, brandName: 'News', brandLogoFile: logo('blue') })
  await changesIn(started, 1)
  const after = await addressIn()
  expect(after).not.toBe(before)
  expect([(await app.get(before)).status, (await app.get(after)).status]).toEqual([200, 200])
})

test('an entry point whose text is unchanged is not read again', () => {
  const file = join(temporaryFolder(), 'entry-points.json')
  const entries = Array.from({ length: 100 }, (_, index) => ({ ...NEWS, name: `news-${index}` }))
  const write = (all: readonly object[]) => writeFileSync(file, JSON.stringify(all))
  write(entries)
  const environment = { ...APP_SETTINGS, ENTRY_POINTS_FILE: file }
  const config = readConfig(environment)
  write(entries.with(7, { ...NEWS, name: 'news-7', secret: NEW_SECRET }))
  const again = readEntryPointSettings(environment, config).entryPoints
  expect(again.flatMap((one, index) => (one === config.entryPoints[index] ? [] : index))).toEqual([7])
})
