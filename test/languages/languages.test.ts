import { globSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { completed, errorText, fill, knownLanguage, sentence, textsOf } from '../../src/languages/languages.ts'
import { startLoginApp } from '../login/start-login-app.ts'

const FOLDER = fileURLToPath(new URL('../../views/languages', import.meta.url))
const LANGUAGES = readdirSync(FOLDER).map((file) => file.replace('.json', ''))

type Entry = string | { [key: string]: Entry }

function catalogOf(language: string): Entry {
  return JSON.parse(readFileSync(`${FOLDER}/${language}.json`, 'utf8')) as Entry
}

/** Returns all texts by path. The singular and plural forms of a text share one path. */
function sentencesOf(entry: Entry, path = ''): Map<string, string[]> {
  if (typeof entry === 'string') return new Map([[path, [entry]]])
  if ('other' in entry) return new Map([[path, Object.values(entry).map(String)]])
  return new Map(Object.entries(entry).flatMap(([key, value]) => [...sentencesOf(value, `${path}/${key}`)]))
}

/** Returns the texts with plural forms, by path. */
function pluralsOf(entry: Entry, path = ''): [string, Record<string, string>][] {
  if (typeof entry === 'string') return []
  if ('other' in entry) return [[path, entry as Record<string, string>]]
  return Object.entries(entry).flatMap(([key, value]) => pluralsOf(value, `${path}/${key}`))
}

function placeholdersOf(sentence: string): string[] {
  return [...sentence.matchAll(/\{\w*\}/g)].map(([braced]) => braced).sort()
}

const ENGLISH = sentencesOf(catalogOf('en'))

/** Returns the plural categories of a language for one number each, such as the Arabic dual: the text says it. */
function exactCategories(language: string): string[] {
  const rules = new Intl.PluralRules(language)
  const categories = Array.from({ length: 200 }, (_, count) => rules.select(count))
  return [...new Set(categories)].filter(
    (category) => categories.indexOf(category) === categories.lastIndexOf(category),
  )
}

/** Labels of buttons and links that look like buttons, which must fit into 320 pixels. */
const BUTTONS = [
  ...['signIn', 'cancel', 'signOut', 'otherAccount', 'changePassword', 'backToPlayer', 'tryAgain'],
  ...['window/continue', 'usePassword', 'sso/otherDevice', 'sso/code'],
  ...['passkeys/use', 'passkeys/none'],
  ...['doors/more'],
  ...['account/sendLink', 'account/sendAgain', 'account/savePassword', 'account/requestNewLink'],
]

/** Texts inside a sentence, or below a greeting that ends with a comma. */
const CONTINUED = /^\/(?:or|opensInNewTab|(?:account|passkeys)\/mail\/\w+)$/

describe.each(LANGUAGES)('the catalog %s', (language) => {
  const sentences = sentencesOf(catalogOf(language))

  test(`no text of ${language} that stands alone begins in lower case`, () => {
    const alone = [...sentences].filter(([path]) => !CONTINUED.test(path)).flatMap(([, texts]) => texts)
    expect(alone.filter((text) => /^\p{Ll}(?!ame@)/u.test(text))).toEqual([])
  })

  test(`the file of the catalog ${language} has a BCP 47 tag as its name`, () => {
    expect(Intl.getCanonicalLocales(language)).toEqual([language])
  })

  test(`the catalog ${language} has the same texts as the English one`, () => {
    const missing = [...ENGLISH.keys()].filter((path) => !sentences.has(path))
    const unknown = [...sentences.keys()].filter((path) => !ENGLISH.has(path))
    expect({ missing, unknown }).toEqual({ missing: [], unknown: [] })
  })

  test(`the catalog ${language} has all plural forms of its language`, () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const faults = pluralsOf(catalogOf(language)).flatMap(([path, forms]) => [
      ...categories.filter((category) => !(category in forms)).map((category) => `${path}/${category} is missing`),
      ...Object.keys(forms)
        .filter((form) => !categories.some((category) => category === form))
        .map((form) => `${path}/${form} is never used`),
    ])
    expect(faults).toEqual([])
  })

  test(`the catalog ${language} has the same values in its texts as the English one`, () => {
    const exact = exactCategories(language)
    const counted = new Map(pluralsOf(catalogOf(language)))
    for (const [path, forms] of sentences) {
      const expected = placeholdersOf(ENGLISH.get(path)?.at(-1) ?? '')
      const texts = counted.has(path)
        ? Object.entries(counted.get(path) ?? {}).flatMap(([form, text]) => (exact.includes(form) ? [] : [text]))
        : forms
      for (const text of texts) expect([path, placeholdersOf(text)]).toEqual([path, expected])
    }
  })

  test(`the catalog ${language} has no empty text, and is not a copy of the English one`, () => {
    for (const forms of sentences.values()) for (const form of forms) expect(form.trim()).toBe(form)
    for (const forms of sentences.values()) for (const form of forms) expect(form).not.toBe('')
    const same = [...sentences].filter(([path, [form]]) => form === ENGLISH.get(path)?.[0])
    if (language !== 'en') expect(same.length).toBeLessThan(ENGLISH.size / 20)
  })

  test(`the buttons of the catalog ${language} have short labels`, () => {
    // A fork has no texts of a feature that it removed.
    const known = [...ENGLISH.keys()].map((path) => path.split('/')[1] ?? '')
    const present = BUTTONS.filter((name) => known.includes(name.split('/')[0] ?? ''))
    const labels = present.map((name) => sentences.get(`/${name}`)?.[0] ?? `${name} is not a text of this language`)
    expect(labels.filter((label) => label.length > 26)).toEqual([])
  })

  test(`the page is in the language ${language} if the browser asks for it`, async () => {
    const app = await startLoginApp()
    const { text } = await app.get('/', { 'Accept-Language': language })
    expect(text).toContain(`<html lang="${language}" `)
    expect(text).toContain(sentences.get('/title')?.[0])
  })
})

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['ja-JP', 'ja'],
  ['es-419,es;q=0.9', 'es'],
  ['pt', 'pt-BR'],
  ['pt-br', 'pt-BR'],
  ['pt-PT,pt;q=0.9,en;q=0.5', 'pt-BR'],
  ['zh', 'zh-CN'],
  ['zh-Hans', 'zh-CN'],
  ['zh-Hans-SG', 'zh-CN'],
  ['zh-CN,zh;q=0.9', 'zh-CN'],
  ['zh-SG', 'zh-CN'],
  ['zh-TW,zh;q=0.9,en;q=0.8', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['zh-Hant-MO', 'zh-TW'],
  ['zh-HK,en;q=0.8', 'zh-TW'],
  ['nb-NO,nb;q=0.9,no;q=0.8,nn;q=0.7,en;q=0.6', 'nb'],
  ['no', 'nb'],
  ['nn-NO,en;q=0.5', 'nb'],
  ['da-DK', 'da'],
  ['fi-FI', 'fi'],
  ['iw-IL', 'he'],
  ['ar-EG', 'ar'],
  ['tlh', 'en'],
  ['tlh,ko;q=0.5', 'ko'],
  ['x-private,ko;q=0.5', 'ko'],
  ['ja;q=0.9,en;q=0.1', 'ja'],
  ['en;q=0.1,ja;q=0.9', 'ja'],
  ['ja;q=0.1,en;q=0.9', 'en'],
  ['de;q=0', 'en'],
  ['*', 'en'],
  ['*;q=0', 'en'],
  ['de;q=0,*', 'en'],
  ['tlh, *;q=0.5', 'en'],
  ['x'.repeat(10_000), 'en'],
  [`${'xx-yy,'.repeat(1600)}de`, 'en'],
  [`${'xx-yy,'.repeat(1600)}de;q=0.9,ja`, 'en'],
  [`${'xx-yy;q=0.5,'.repeat(1200)}de`, 'de'],
  [',;=*,;q=,,q=1;;', 'en'],
  ['de;q=abc', 'en'],
  ['__proto__', 'en'],
  ['constructor,toString,de;q=0.1', 'de'],
  ['../../etc/passwd', 'en'],
  ['de_DE', 'en'],
  ['"><script>', 'en'],
])('a browser with Accept-Language %j gets the language %s', async (header, language) => {
  const app = await startLoginApp()
  const headers = header === undefined ? {} : { 'Accept-Language': header }
  expect((await app.get('/', headers)).text).toContain(`<html lang="${language}" `)
  expect((await app.post('/sign-in', 'username=&password=', headers)).text).toContain(`<html lang="${language}" `)
  expect((await app.get('/nowhere', headers)).text).toContain(`<html lang="${language}" `)
})

test.each([
  ['pt', 'pt-BR'],
  ['ZH-hant-hk', 'zh-TW'],
  ['zh-Hans-HK', 'zh-CN'],
  ['no-NO', 'nb'],
  ['iw', 'he'],
  ['tlh', null],
  ['', null],
  ['de_DE', null],
])('the tag %j means the language %s', (tag, language) => {
  expect(knownLanguage(tag)).toBe(language)
})

test('the language is chosen for each request', async () => {
  const app = await startLoginApp()
  for (let other = 0; other < 150; other += 1) {
    await app.send('HEAD', '/', { 'Accept-Language': `x-${other}` })
  }
  for (const language of ['de', 'ja', 'en', 'de']) {
    const { text } = await app.get('/', { 'Accept-Language': `${language},x-new;q=0.1` })
    expect(text).toContain(`<html lang="${language}" `)
  }
})

test('choosing the language is fast for a long header', async () => {
  const app = await startLoginApp()
  const before = performance.now()
  for (let round = 0; round < 20; round += 1) {
    await app.get('/', { 'Accept-Language': `${'a-b;q=0.1,'.repeat(1200)}${round}` })
  }
  expect(performance.now() - before).toBeLessThan(5_000)
})

test.each([
  ['en', 1, / 1\ssecond\b/],
  ['en', 2, / 2\sseconds\b/],
  ['de', 1, / 1\sSekunde\b/],
  ['de', 60, / 60\sSekunden\b/],
  ['pl', 1, / 1\ssekundę\./],
  ['pl', 2, / 2\ssekundy\./],
  ['pl', 5, / 5\ssekund\./],
  ['cs', 4, / 4\ssekundy\./],
  ['cs', 5, / 5\ssekund\./],
  ['ar', 2, / ثانيتين\./],
  ['ar', 3, / 3\sثوانٍ\./],
  ['ar', 11, / 11\sثانية\./],
  ['ja', 1, /1\s秒/],
] as const)('an error in %s has its plural form for %i', (language, count, words) => {
  expect(errorText(language, 'tooManyTries', { count })).toMatch(words)
})

test('a sentence outside the errors counts too', () => {
  const { retryIn } = textsOf('en').script
  expect(sentence('en', retryIn, { count: 1 })).toMatch(/ 1\ssecond\b/)
  expect(sentence('en', retryIn, { count: 2 })).toMatch(/ 2\sseconds\b/)
})

test('a missing or empty text of a catalog is English', () => {
  const english = { cancel: 'Cancel', errors: { loop: 'Loop', tries: { one: '{count} try', other: '{count} tries' } } }
  const tries = { few: '{count} few', other: '{count} other' }
  expect(completed({ cancel: ' ', errors: { tries } }, english)).toEqual({
    cancel: 'Cancel',
    errors: { loop: 'Loop', tries },
  })
  expect(completed({ cancel: 'Afbryd', errors: { tries: {} } }, english)).toEqual({ ...english, cancel: 'Afbryd' })
  expect(completed(null, english)).toEqual(english)
})

test('a value that looks like a placeholder is not replaced', () => {
  expect(fill('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&')
  expect(fill('{a} {toString} {__proto__}', { a: 1 })).toBe('1 {toString} {__proto__}')
})

test('every text is on a screen, in a mail or in the script', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const files = globSync(['src/**/*.ts', 'views/**/*.ejs', 'public/*.js'], {
    cwd: root,
    exclude: ['src/tools/emulator/**'],
  })
  const words = new Set(files.flatMap((file) => readFileSync(root + file, 'utf8').match(/\w+/g) ?? []))
  const names = [...ENGLISH.keys()].map((path) => path.split('/').at(-1) ?? '')
  // `errorText()` builds the names of sentences about an email.
  const isShown = (name: string) => words.has(name) || words.has(name.replace(/Email$/, ''))
  expect(names.filter((name) => !isShown(name))).toEqual([])
})
