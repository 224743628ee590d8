import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './guards.ts'

test('each guard that a requirement names has a test that fails without the guard', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'test/asvs/main.ts'), '--mutate'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  expect(stdout.split('\n').filter((line) => line.includes('| GREEN |'))).toEqual([])
  expect(status).toBe(0)
}, 7_200_000)
