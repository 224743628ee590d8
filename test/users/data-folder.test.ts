import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeDataFolder } from '../../src/users/data-folder.ts'
import { programSettings, runLoginProgram } from '../login/login-program.ts'
import { temporaryFolder } from './temporary-folder.ts'

vi.setConfig({ testTimeout: 20_000 })

test('is made with all that is missing above it, for one user alone, and left alone when it is there', () => {
  const above = temporaryFolder()
  const folder = join(above, 'a', 'b')
  makeDataFolder(folder)
  makeDataFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const shared = join(above, 'shared')
  mkdirSync(shared, { mode: 0o755 })
  makeDataFolder(shared)
  expect(statSync(shared).mode & 0o777).toBe(0o755)
})

test.each(['USER_STORE_URL', 'SESSION_STORE_URL'])(
  'of %s in a file system that makes no folders ends the start with one sentence',
  async (name) => {
    const { ended } = runLoginProgram({ ...programSettings(), [name]: 'sqlite:/proc/missing/folder/x.db' })
    const { status, stderr } = await ended
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^[^\n]+\/proc\/missing\/folder\/x\.db[^\n]+\(E[^\n]+\n$/),
    ])
  },
)
