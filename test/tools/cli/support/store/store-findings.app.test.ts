import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { CHOSEN_STORE } from '../../../../users/chosen-store.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'

test('support bundle has the findings of store check, or why the store does not open', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'support.json')
  const env = { ...SETTINGS, ...CHOSEN_STORE, PUBLIC_URL: 'http://localhost:1' }
  const checked = await runHere(['store', 'check', '--json'], { cwd, env })
  expect(await runHere(['support', 'bundle', '--output', file], { cwd, env })).toMatchObject({ status: 0 })
  const { store } = JSON.parse(readFileSync(file, 'utf8'))
  expect(store).toEqual(JSON.parse(checked.stdout || checked.stderr))
})
