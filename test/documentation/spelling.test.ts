import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BRITISH =
  /\b(?:col|behavi|fav|hon|neighb)our|\b(?:organ|synchron|normal|recogn|initial|author|summar|optim)is(?:e|ed|es|ing|ation)\b|\b(?:defence|catalogue|judgement|misspelt|centre|towards|analyse|licence|programme)\w*|\bgrey(?:s|ed)?\b/gi
/** A name of a state, an outcome or a key, as in `cancelled`. */
const NAMES = /`[^`\n]*`|"[\w.-]+":/g

/** Returns the British words of a text, as `file: word`. */
const britishIn = (file: string, text: string, words = BRITISH) =>
  [...text.matchAll(words)].map(([word]) => `${file}: ${word}`)

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const PAGES = globSync('{*.md,.github/**/*.md,.env.example,{src,test,views}/**/*.md}', { cwd: ROOT })
const TEXTS = ['views/languages/en.json', ...globSync('views/manager/texts/en.json', { cwd: ROOT })]

test('pages, texts and messages are written in US English', () => {
  const code = globSync(['src/**/*.{ts,ejs,css,js}', 'public/*.{css,js}', 'views/**/*.ejs'], { cwd: ROOT })
  expect([...PAGES, ...TEXTS, ...code].flatMap((file) => britishIn(file, read(file)))).toEqual([])
})

test('pages and texts write "canceled", except in names', () => {
  const british = /cancell(?:ed|ing)|\bticks?\b|\bticked\b/gi
  const faults = [...PAGES, ...TEXTS].flatMap((file) => britishIn(file, read(file).replaceAll(NAMES, ''), british))
  expect(faults).toEqual([])
})

test.each(['colour', 'organisation', 'synchronise', 'towards'])('%s counts as a British word', (word) => {
  expect(britishIn('page', `The ${word} is here.`)).toEqual([`page: ${word}`])
})
