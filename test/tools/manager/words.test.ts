import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openWords } from '../../../src/tools/manager/pages/words.ts'

const textsOf = (language: string): object =>
  JSON.parse(readFileSync(new URL(`../../../views/manager/texts/${language}.json`, import.meta.url), 'utf8'))

/** Returns the path of each text with the names in braces, sorted. */
function placeholders(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string'
      ? `${path}${key} ${[...text.matchAll(/\{\w+\}/g)]
          .map(([name]) => name)
          .toSorted()
          .join(' ')}`
      : placeholders(text as object, `${path}${key}.`),
  )
}

test('German has every text of English, with the same values', () => {
  expect(placeholders(textsOf('de')).toSorted()).toEqual(placeholders(textsOf('en')).toSorted())
})

const wordsFor = openWords(() => 'UTC')
const wordsIn = (language: string) => wordsFor({ acceptsLanguages: () => language } as never)

test.each([
  ['en', 'people.many.disableDone', '1 person is blocked.', '2 people are blocked.'],
  ['de', 'people.many.disableDone', '1 Person ist gesperrt.', '2 Personen sind gesperrt.'],
  ['en', 'sheet.refusedCount', '1 row was left out.', '2 rows were left out.'],
])('a text that counts has plural forms: %s %s', (language, path, one, two) => {
  const { say } = wordsIn(language)
  expect([say(path, { count: 1 }), say(path, { count: 2 })]).toEqual([one, two])
})

test('each mistake of a sheet has a text, unless no sheet can have it', () => {
  const sources = ['cli/import/viewer-file.ts', 'cli/import/import-viewers.ts', 'manager/people/sheet/read-sheet.ts']
  const code = /(?:rowFault|refused)\(\s*'(\w+)'/g
  const codes = sources.flatMap((file) =>
    [...readFileSync(new URL(`../../../src/tools/${file}`, import.meta.url), 'utf8').matchAll(code)].map(
      ([, name]) => name,
    ),
  )
  expect(codes.length).toBeGreaterThan(12)
  const without = codes.filter((name) => !wordsIn('en').has(`sheet.faults.${name}`))
  expect([...new Set(without)].toSorted()).toEqual(['badHash', 'twoPasswords', 'unusedSalt'])
})
