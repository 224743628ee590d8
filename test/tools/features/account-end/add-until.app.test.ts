import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../../cli/sqlite/run-here.ts'

test('viewers add --until gives the account an end, beside other attributes', async () => {
  const cwd = temporaryFolder()
  const until = ['--until', '2099-11-30T20:00+01:00']
  const args = ['viewers', 'add', 'ada', '--attribute', 'seat=12', ...until]
  expect(await runHere(args, { cwd, stdin: 'correct horse battery' })).toEqual({
    status: 0,
    stdout: 'Added ada.\n',
    stderr: 'End: Monday, November 30, 2099 at 8:00 PM GMT+1 (2099-11-30T20:00:00+01:00).\n',
  })
  const { stdout } = await runHere(['viewers', 'list', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject([
    { username: 'ada', attributes: { seat: '12', accountEndsAt: '2099-11-30T20:00:00+01:00' } },
  ])
})
