import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createLineOutput } from '../../../src/server/log/line-output.ts'
import { openRotatedFile } from '../../../src/server/log/log-files.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const noticeOf = (dropped: number) => `dropped ${dropped}\n`
const line = (number: number) => `${String(number).padStart(999, '.')}\n`

afterEach(() => void vi.useRealTimers())

/** Opens a named pipe without blocking, with functions to read and close its reader, and the descriptor of its writer. */
function openPipe() {
  const path = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(writer))
  let isOpen = true
  const closeReader = () => {
    if (isOpen) closeSync(reader)
    isOpen = false
  }
  onTestFinished(closeReader)
  const bytes = Buffer.alloc(1_000_000)
  return { path, writer, closeReader, read: () => bytes.toString('utf8', 0, readSync(reader, bytes)) }
}

test('lines wait for a slow reader up to a limit, and the reader learns how many were dropped', async () => {
  const pipe = openPipe()
  const output = createLineOutput(() => pipe.writer, { noticeOf, mostWaitingBytes: 10_000 })
  for (let number = 0; number < 100; number += 1) output.write(line(number))
  const dropped = output.dropped()
  // A pipe holds 64 kB, and ten lines wait.
  expect(dropped).toBeGreaterThan(20)
  let text = pipe.read()
  await output.drained(5_000)
  output.write('last\n')
  text += pipe.read()
  const written = 100 - dropped
  expect(text.split('\n')).toEqual([
    ...Array.from({ length: written }, (_, number) => line(number).trimEnd()),
    `dropped ${dropped}`,
    'last',
    '',
  ])
})

test('lines for a reader that is gone are dropped, and a new reader gets the next ones', async () => {
  const pipe = openPipe()
  const faults: unknown[] = []
  const output = createLineOutput(() => pipe.writer, { noticeOf, onFault: (fault) => void faults.push(fault) })
  pipe.closeReader()
  for (let number = 0; number < 5; number += 1) output.write(line(number))
  expect(output.dropped()).toBe(5)
  expect(faults).toMatchObject([{ code: 'EPIPE' }])
  const reader = openSync(pipe.path, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(reader))
  const bytes = Buffer.alloc(100)
  await expect.poll(() => bytes.toString('utf8', 0, readSync(reader, bytes))).toBe('dropped 5\n')
})

test('a full disk drops lines at once, and keeps none in memory', () => {
  // The output would retry until the worker ends, also between the timers of other tests.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const full = openSync('/dev/full', 'a')
  onTestFinished(() => closeSync(full))
  const output = createLineOutput(() => full, { noticeOf })
  for (let number = 0; number < 1000; number += 1) output.write(line(number))
  expect(output.dropped()).toBe(1000)
})

test('a file that is renamed or deleted is created again for this user only', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const path = join(temporaryFolder(), 'logs', 'security.log')
  const output = createLineOutput(openRotatedFile(path), { noticeOf })
  output.write('one\n')
  renameSync(path, `${path}.1`)
  vi.advanceTimersByTime(1_001)
  output.write('two\n')
  rmSync(path)
  vi.advanceTimersByTime(1_001)
  output.write('three\n')
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\n')
  expect(readFileSync(path, 'utf8')).toBe('three\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a file whose folder is deleted is created again in a new folder', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const path = join(temporaryFolder(), 'logs', 'security.log')
  const output = createLineOutput(openRotatedFile(path), { noticeOf })
  output.write('one\n')
  rmSync(dirname(path), { recursive: true })
  vi.advanceTimersByTime(1_001)
  output.write('two\n')
  expect(readFileSync(path, 'utf8')).toBe('two\n')
})

test('lines for a deleted file that cannot be created again are counted, until it can', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const path = join(temporaryFolder(), 'logs', 'security.log')
  const faults: unknown[] = []
  const output = createLineOutput(openRotatedFile(path), { noticeOf, onFault: (fault) => void faults.push(fault) })
  rmSync(dirname(path), { recursive: true })
  writeFileSync(dirname(path), 'not a folder')
  vi.advanceTimersByTime(1_001)
  output.write('one\n')
  output.write('two\n')
  expect([output.dropped(), faults.length]).toEqual([2, 1])
  rmSync(dirname(path))
  await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toBe('dropped 2\n'), { timeout: 20_000 })
})

test('a file that is copied and truncated is written from its new beginning', () => {
  const path = join(temporaryFolder(), 'security.log')
  writeFileSync(path, 'before\n')
  const output = createLineOutput(openRotatedFile(path), { noticeOf })
  output.write('one\n')
  expect(readFileSync(path, 'utf8')).toBe('before\none\n')
  truncateSync(path)
  output.write('two\n')
  expect(readFileSync(path, 'utf8')).toBe('two\n')
})
