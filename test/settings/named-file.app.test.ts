import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readGivenSettings, readNamedBytes } from '../../src/settings/named-file.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const NO_FILE = 'names a device or pipe instead of a file'

function newPipe(): string {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  return pipe
}

test.each([
  ['a device', () => '/dev/zero'],
  ['an empty device', () => '/dev/null'],
  ['a pipe', newPipe],
])('a setting that names %s is refused at once', (_what, make) => {
  const file = make()
  expect(readGivenSettings({ TOKEN_FILE: file }, ['TOKEN']).mistakes).toEqual([`TOKEN_FILE ${NO_FILE}`])
  expect(readNamedBytes(file, 100)).toEqual({ fault: NO_FILE })
})

test('a secret of Kubernetes is read, which is a link into a linked folder', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, '..2026_11_23'))
  writeFileSync(join(folder, '..2026_11_23/token'), 'abc\n')
  symlinkSync('..2026_11_23', join(folder, '..data'))
  symlinkSync('..data/token', join(folder, 'token'))
  expect(readGivenSettings({ TOKEN_FILE: join(folder, 'token') }, ['TOKEN']).given.TOKEN).toBe('abc')
})
