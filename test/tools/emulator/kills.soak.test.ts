import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { killAfterEachChannel } from './kill-after-channel.ts'
import { killAfterEachChange } from './oauth/kill-after-change.ts'

const KILLS = 100

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test(`the emulator loses no change in ${KILLS} kills`, { timeout: 900_000 }, async () => {
  expect(await killAfterEachChange(join(folder, 'emulator.db'), KILLS)).toEqual([])
})

test(`the emulator loses no channel in ${KILLS} kills`, { timeout: 900_000 }, async () => {
  await killAfterEachChannel(folder, KILLS)
})
