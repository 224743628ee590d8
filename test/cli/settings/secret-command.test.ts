import { expect, test } from 'vitest'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

test('a generated secret is 256 bits in hexadecimal, alone on its line, another one each time', async () => {
  const cwd = temporaryFolder()
  const one = await runHere(['secret', 'generate'], { cwd })
  const other = await runHere(['secret', 'generate', '--json'], { cwd })
  expect(one).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/) })
  const { secret } = JSON.parse(other.stdout) as { secret: string }
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(secret).not.toBe(one.stdout.trim())
})
