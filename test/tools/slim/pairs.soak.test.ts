import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('two parts that share files can be removed together', async () => {
  const drill = join(import.meta.dirname, 'drill.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [drill, '--pairs']).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toMatch(/^without passkeys, sso: .* green/m)
  expect(stdout).not.toContain('RED')
}, 3_600_000)
