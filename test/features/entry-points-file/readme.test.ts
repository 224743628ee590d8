import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { entryPointEnvironment } from '../../../src/config.ts'
import { APP_SETTINGS, mistakesIn, SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

test('the file of entry points in the README is accepted', () => {
  const readme = readFileSync('src/features/entry-points-file/README.md', 'utf8')
  const json = /```json\n(\[[^`]*"playerReturnUrl"[^`]*)```/.exec(readme)?.[1] ?? ''
  const file = join(temporaryFolder(), 'entry-points.json')
  writeFileSync(file, json.replace(/"secretFile": "[^"]*"/, `"secret": "${SETTINGS.HASH_SECRET}"`))
  expect(mistakesIn({ ...APP_SETTINGS, ENTRY_POINTS_FILE: file })).toEqual([])
})

test('the table in the README has every field of an entry point, alone or in a range', () => {
  const readme = readFileSync('src/features/entry-points-file/README.md', 'utf8')
  const known = entryPointEnvironment()
  const settings = [...readFileSync('.env.example', 'utf8').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name)
  const fields = settings
    .filter((name) => name in known)
    .map((name) =>
      name
        .replace(/^HASH_(?=SECRET)/, '')
        .toLowerCase()
        .replace(/_./g, ([, letter = '']) => letter.toUpperCase()),
    )
  const listed = [...readme.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => {
    const names = [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    const [first = '', last = ''] = names
    const range = / to /.test(cell) ? fields.slice(fields.indexOf(first), fields.indexOf(last) + 1) : []
    return [...names, ...range]
  })
  expect(fields.filter((name) => !listed.includes(name))).toEqual([])
})
