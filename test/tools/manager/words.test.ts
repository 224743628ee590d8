import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

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
