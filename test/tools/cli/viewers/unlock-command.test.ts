import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const unlock = (env: Record<string, string>, ...args: string[]) =>
  runHere(['viewers', 'unlock', ...args], { cwd: temporaryFolder(), env })

test('viewers unlock with counts in memory tells to restart the app or to use a shared store', async () => {
  const { status, stdout, stderr } = await unlock({ LIMITS_STORE_URL: 'memory:' }, 'ada')
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^Failed: LIMITS_STORE_URL.*[Rr]estart.*shared store/)
  expect(JSON.parse((await unlock({ LIMITS_STORE_URL: 'memory:' }, 'ada', '--json')).stderr)).toEqual({
    error: expect.stringContaining('memory'),
  })
})

test('viewers unlock without a name is wrong usage', async () => {
  expect(await unlock({})).toMatchObject({ status: 2, stdout: '' })
})
