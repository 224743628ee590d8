import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limitAge } from '../../../src/server/log/limited-file.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

let folder: string
let path: string
const faults: unknown[] = []
const onFault = (error: unknown) => void faults.push(error)

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'security.log')
  faults.length = 0
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
})
afterEach(() => void vi.useRealTimers())

/** Writes a line of this moment, as the app does. */
function write(name: string): void {
  writeFileSync(path, `${JSON.stringify({ level: 30, time: new Date().toISOString(), name })}\n`, { flag: 'a' })
  utimesSync(path, new Date(), new Date())
}
const all = () =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
const namesIn = (text: string) =>
  [...text.matchAll(/"name":"(\d+)"/g)].map(([, day]) => Number(day)).toSorted((a, b) => a - b)

test('no line is older than the days of the setting, and those of four fifths of it are kept', () => {
  limitAge(path, 10, onFault)
  for (let hours = 0; hours < 40 * 24; hours += 1) {
    write(String(hours))
    vi.advanceTimersByTime(HOUR_MS)
    const [oldest = 0] = namesIn(all())
    expect(hours - oldest).toBeLessThanOrEqual(10 * 24 + 2)
    expect(hours - oldest).toBeGreaterThanOrEqual(Math.min(hours, 8 * 24 - 2))
  }
  expect(readdirSync(folder).length).toBeLessThanOrEqual(5)
  expect(faults).toEqual([])
})

test('the lines of an app that was quiet, or did not run, go too', () => {
  write('1')
  vi.advanceTimersByTime(30 * DAY_MS)
  limitAge(path, 10, onFault)
  expect(readdirSync(folder)).toEqual([])
  write('2')
  vi.advanceTimersByTime(11 * DAY_MS)
  expect([readdirSync(folder), faults]).toEqual([[], []])
})

test('without the setting, and without a file, nothing happens', () => {
  write('1')
  limitAge(path, undefined, onFault)
  limitAge(join(folder, 'missing', 'security.log'), 1, onFault)
  vi.advanceTimersByTime(400 * DAY_MS)
  expect([namesIn(all()), faults]).toEqual([[1], []])
})

test('several copies that look at the same time lose no line that is new', () => {
  for (let copy = 0; copy < 3; copy += 1) limitAge(path, 5, onFault)
  for (let hours = 0; hours < 5 * 24; hours += 1) {
    write(String(hours))
    vi.advanceTimersByTime(HOUR_MS)
  }
  const [oldest = 0] = namesIn(all())
  expect(oldest).toBeLessThanOrEqual(5 * 24 - 4 * 24 + 2)
  expect(faults).toEqual([])
})

test('a file of another name, and a first line without a time, do not stop it', () => {
  writeFileSync(join(folder, 'security.log.old'), 'mine')
  writeFileSync(path, 'no JSON\n')
  limitAge(path, 5, onFault)
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
  vi.advanceTimersByTime(100 * DAY_MS)
  expect([readdirSync(folder), faults]).toEqual([['security.log.old'], []])
})
