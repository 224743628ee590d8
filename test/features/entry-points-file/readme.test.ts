import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

test('the file of entry points in the README is accepted', () => {
  const readme = readFileSync('src/features/entry-points-file/README.md', 'utf8')
  const json = /```json\n(\[[^`]*"playerReturnUrl"[^`]*)```/.exec(readme)?.[1] ?? ''
  const file = join(temporaryFolder(), 'entry-points.json')
  writeFileSync(file, json.replace(/"secretFile": "[^"]*"/, `"secret": "${SETTINGS.HASH_SECRET}"`))
  const { PUBLIC_URL, SESSION_SECRET } = SETTINGS
  expect(mistakesIn({ PUBLIC_URL, SESSION_SECRET, ENTRY_POINTS_FILE: file })).toEqual([])
})
