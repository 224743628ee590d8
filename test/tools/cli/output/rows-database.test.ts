import { expect, test } from 'vitest'
import { ConfigError } from '../../../../src/errors.ts'
import { withTemporaryDatabase } from '../../../../src/tools/cli/output/rows-database.ts'

test('a full disk is a fault of the folder for temporary files, and names TMPDIR', async () => {
  const filled = withTemporaryDatabase((database) => {
    // As small as the disk of this test.
    database.exec('PRAGMA max_page_count = 10; CREATE TABLE row (text TEXT)')
    for (;;) database.prepare('INSERT INTO row VALUES (?)').run('x'.repeat(1_000))
  })
  await expect(filled).rejects.toThrow(ConfigError)
  await expect(filled).rejects.toThrow(
    'A file for temporary data cannot be written (database or disk is full). Free space, or choose another folder with TMPDIR.',
  )
})

test('another fault stays as it is', async () => {
  const fault = new RangeError('No disk')
  await expect(withTemporaryDatabase(() => Promise.reject(fault))).rejects.toBe(fault)
})
