import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLimitedFile } from '../../../src/server/log/limited-file.ts'
import { createLineOutput } from '../../../src/server/log/line-output.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const MOST_BYTES = 10_000
/** After this time, the app looks if its file was renamed. */
const CHECK_MS = 1_001
const noticeOf = (count: number) => `dropped ${count}\n`

let folder: string
let path: string
const faults: unknown[] = []

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'security.log')
  faults.length = 0
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
})
afterEach(() => void vi.useRealTimers())

function open(file = path) {
  const onFault = (error: unknown) => void faults.push(error)
  return createLineOutput(openLimitedFile(file, { mostBytes: MOST_BYTES, onFault }), { noticeOf })
}

/** Writes lines of 100 bytes, with the numbers from `first` to `last`. A second passes after each 50. */
function burst(output: ReturnType<typeof open>, first: number, last: number): void {
  for (let number = first; number <= last; number += 1) {
    output.write(`${String(number).padStart(99, '0')}\n`)
    if (number % 50 === 0) vi.advanceTimersByTime(CHECK_MS)
  }
}

const renamed = () =>
  readdirSync(folder)
    .filter((name) => name.startsWith('security.log.'))
    .toSorted()
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const numbersIn = (text: string) => text.trimEnd().split('\n').map(Number)
/** The numbers in all files, the oldest file first. */
const written = () => [...renamed(), 'security.log'].flatMap((name) => numbersIn(textOf(name)))
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('a burst over several files loses no line and keeps their order, for this user only', () => {
  burst(open(), 1, 480)
  expect(written()).toEqual(from(1, 480))
  expect(renamed()).toHaveLength(4)
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    // Lines of one second more, and the lines between two checks.
    expect(statSync(join(folder, name)).size).toBeLessThan(2 * MOST_BYTES)
  }
})

test('only the four newest of the renamed files stay, and no file of another program is deleted', () => {
  const others = ['security.log.1', 'security.log.2.gz', 'security.log-20261120', 'security.log.bak', 'security.logs']
  for (const name of others) writeFileSync(join(folder, name), '')
  burst(open(), 1, 3_000)
  const own = renamed().filter((name) => !others.includes(name))
  expect(own).toHaveLength(4)
  const numbers = [...own, 'security.log'].flatMap((name) => numbersIn(textOf(name)))
  expect(numbers).toEqual(from(numbers[0] ?? 0, 3_000))
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(others))
})

test('two processes that share the file lose no line', () => {
  const first = open()
  const second = open()
  for (let number = 1; number <= 180; number += 1) {
    burst(first, number, number)
    burst(second, 1_000 + number, 1_000 + number)
  }
  const numbers = written()
  expect(renamed().length).toBeGreaterThan(1)
  expect(numbers.filter((number) => number <= 1_000)).toEqual(from(1, 180))
  expect(numbers.filter((number) => number > 1_000)).toEqual(from(1_001, 1_180))
})

test('two processes that rename at the same millisecond replace no file', () => {
  const outputs = [open(), open()]
  burst(outputs[0] ?? expect.unreachable(), 1, 50)
  const [first, second] = outputs
  for (const [index, output] of [first, second].entries()) {
    writeFileSync(path, `${String(index).repeat(MOST_BYTES)}\n`)
    output?.write('x'.repeat(MOST_BYTES / 50))
  }
  expect(renamed()).toHaveLength(2)
})

test('a file that was full before the start is renamed with the first line', () => {
  writeFileSync(path, 'old\n')
  truncateSync(path, MOST_BYTES)
  burst(open(), 1, 1)
  expect(renamed().map(textOf)).toEqual([expect.stringMatching(/^old\n/)])
})

test('lines go on into the renamed file while the new one cannot be created', () => {
  const output = open()
  burst(output, 1, 50)
  renameSync(path, join(folder, 'security.log.1'))
  mkdirSync(path)
  burst(output, 51, 60)
  expect(numbersIn(textOf('security.log.1'))).toEqual(from(1, 60))
  rmdirSync(path)
  vi.advanceTimersByTime(CHECK_MS)
  burst(output, 61, 70)
  expect([written(), output.dropped()]).toEqual([from(1, 70), 0])
})

test('a file that cannot be renamed grows on, and the fault is reported', () => {
  // The new name would be longer than a file system allows.
  const long = join(folder, 's'.repeat(250))
  const output = open(long)
  burst(output, 1, 150)
  expect(numbersIn(textOf(basename(long)))).toEqual(from(1, 150))
  expect(output.dropped()).toBe(0)
  expect(faults).toContainEqual(expect.objectContaining({ code: 'ENAMETOOLONG' }))
})
