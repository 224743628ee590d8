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

test('of two parallel requests with one code to two processes, exactly one gets a token', async () => {
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

test('every successful change is stored, although the emulator is killed right after the response', async () => {
  expect(await killAfterEachChange(file, KINDS_OF_CHANGES)).toEqual([])
})
