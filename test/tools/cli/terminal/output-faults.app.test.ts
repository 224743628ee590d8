import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../../../../src/tools/cli/main.ts', import.meta.url))

test('a full disk behind standard output is a failure without a stack', () => {
  const script = '"$0" "$1" secret generate > /dev/full'
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, program], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Failed: .*\(ENOSPC\)\.\n$/)])
})

test('a full disk behind standard error does not change the exit status', () => {
  const script = '{ "$0" "$1" secret bogus 2>&1 >/dev/null; echo $? >&3; } 3>&1 1>/dev/full'
  const { stdout } = spawnSync('bash', ['-c', script, process.execPath, program], { encoding: 'utf8' })
  expect(stdout).toBe('2\n')
})
