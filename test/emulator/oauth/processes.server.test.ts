import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmulatorProcess } from './emulator-process.ts'
import { codeFor, KINDS_OF_CHANGES, killAfterEachChange, redeem } from './kill-after-change.ts'

let file: string

beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'emulator-')), 'emulator.db')
})
afterEach(() => rm(dirname(file), { recursive: true, force: true }))

test('only one of two clients that race with the same code gets a token, in thirty races', async () => {
  const first = await startEmulatorProcess(file)
  const processes = [first, await startEmulatorProcess(file)]
  try {
    for (let round = 0; round < 30; round += 1) {
      const code = codeFor(first, file)
      const answers = await Promise.all(processes.map((emulator) => redeem(emulator, code)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  } finally {
    await Promise.all(processes.map((emulator) => emulator.kill()))
  }
})

test('the emulator loses no change that it answered with success when it is killed right after the answer', async () => {
  expect(await killAfterEachChange(file, KINDS_OF_CHANGES)).toEqual([])
})
