import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPrivateFile } from '../../src/server/private-file.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

test('a private file and the folders above it are created for this user only', () => {
  const folder = join(temporaryFolder(), 'a', 'b')
  createPrivateFile(join(folder, 'x.db'))
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, '..')).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'x.db')).mode & 0o777).toBe(0o600)
})

test('a folder and a file that exist keep their modes and contents', () => {
  const folder = join(temporaryFolder(), 'shared')
  mkdirSync(folder, { mode: 0o755 })
  const file = join(folder, 'x.db')
  writeFileSync(file, 'text', { mode: 0o644 })
  createPrivateFile(file)
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777, statSync(file).size]).toEqual([0o755, 0o644, 4])
})

test('a file below a file cannot be created', () => {
  const file = join(temporaryFolder(), 'x')
  writeFileSync(file, '')
  expect(() => createPrivateFile(join(file, 'data', 'x.db'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
})
