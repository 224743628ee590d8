import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { partsToRemove, readParts } from '../../../src/tools/slim/parts.ts'
import { readTree } from '../../../src/tools/slim/tree.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** A part of a fork takes these texts along, as only that part shows them. */
const OF_PARTS = [
  'nav.doors',
  'nav.colleagues',
  'playsOn.token',
  'registrations.places',
  'outcomes.other-screen',
  'outcomes.took-over',
]

/** Returns the paths of texts. */
function keysOf(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? `${path}${key}` : keysOf(text, `${path}${key}.`),
  )
}

test('a text of the page has the name of a part as its key only if no other part shows it', () => {
  const parts = readParts(readTree(ROOT))
  // The page keeps the parts that it needs.
  const stores = parts.filter(({ kind }) => kind === 'user store').map(({ name }) => name)
  const leaving = partsToRemove(parts, [...stores, 'manager'])
  const names = new Set(leaving.flatMap(({ folder, words }) => [basename(folder), ...words]))
  const own = leaving.filter(({ folder }) => folder.includes('features/')).map(({ folder }) => basename(folder))
  const texts: object = JSON.parse(readFileSync(join(ROOT, 'views/manager/texts/en.json'), 'utf8'))
  const groups = Object.entries(texts).filter(([group]) => ![...own, 'mail'].includes(group))
  expect(groups.map(([group]) => group).filter((group) => names.has(group))).toEqual([])
  const keys = keysOf(Object.fromEntries(groups))
  expect(keys).toContain('signIn.scan')
  expect(keys.filter((key) => names.has(key.split('.').at(-1) ?? '') && !OF_PARTS.includes(key))).toEqual([])
})
