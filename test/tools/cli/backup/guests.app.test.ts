import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFileRecords } from '../../../../src/services/guests/file-records.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

test('a backup has the guests, and brings them back', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'guests.db')
  const env = { GUESTS_STORE_URL: `sqlite:${file}` }
  const records = openFileRecords(file, { nowSeconds: () => 0 })
  await records.write([{ kind: 'registration', key: 'ada@example.com', text: 'before' }])
  expect(await runHere(['backup', join(cwd, 'backup')], { cwd, env })).toMatchObject({ status: 0 })
  await records.write([{ kind: 'registration', key: 'ada@example.com', text: 'after' }])
  await records.close()
  expect(await runHere(['restore', join(cwd, 'backup'), '--yes'], { cwd, env })).toMatchObject({ status: 0 })
  const restored = openFileRecords(file, { nowSeconds: () => 0 })
  expect(await restored.read('registration', 'ada@example.com')).toMatchObject({ text: 'before' })
  await restored.close()
})
