import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../sqlite/run-here.ts'
import { signIn } from '../sign-in.ts'

const stdin = 'correct horse battery'

test('viewers rename changes the user name, keeps the password, and refuses a name that is taken', async () => {
  const cwd = temporaryFolder()
  for (const name of ['eva', 'bob']) await runHere(['viewers', 'add', name], { cwd, stdin })
  const rename = (...names: string[]) => runHere(['viewers', 'rename', ...names], { cwd })
  expect(await rename('eva', ' eve ')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Renamed eva to eve. Ended 0 sessions of eva'),
  })
  expect(await signIn(cwd, 'eve', stdin)).toMatchObject({ ok: true })
  expect(await signIn(cwd, 'eva', stdin)).toMatchObject({ ok: false })
  expect(await rename('eve', 'BOB')).toMatchObject({ status: 1, stderr: expect.stringContaining('already exists') })
  expect(await rename('eva', 'joe')).toMatchObject({ status: 1, stderr: expect.stringContaining('eva') })
  expect(await rename('eve', 'a|b')).toMatchObject({ status: 1, stderr: expect.stringContaining('The new user name') })
})
