import { expect, test } from 'vitest'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const unlock = (env: Record<string, string>, ...args: string[]) =>
  runHere(['viewers', 'unlock', ...args], { cwd: temporaryFolder(), env })

test('counts in the memory of the app are said to be out of reach, with what to do', async () => {
  const { status, stdout, stderr } = await unlock({}, 'ada')
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^Failed: LIMITS_STORE_URL is memory:.*Restart the app.*LIMITS_STORE_URL=redis:\/\/HOST/)
  expect(JSON.parse((await unlock({}, 'ada', '--json')).stderr)).toEqual({ error: expect.stringContaining('memory') })
})

test('a wrong setting is named', async () => {
  expect(await unlock({ LIMITS_STORE_URL: 'redis' }, 'ada')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Failed: LIMITS_STORE_URL must be memory: or redis:/),
  })
})

test('no name is wrong usage', async () => {
  expect(await unlock({})).toMatchObject({ status: 2, stdout: '' })
})
