import { expect, test } from 'vitest'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

test('secret generate prints 256 random bits in hexadecimal on one line', async () => {
  const cwd = temporaryFolder()
  const one = await runHere(['secret', 'generate'], { cwd })
  const next = await runHere(['secret', 'generate', '--json'], { cwd })
  expect(one).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/) })
  const { secret } = JSON.parse(next.stdout) as { secret: string }
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(secret).not.toBe(one.stdout.trim())
})
