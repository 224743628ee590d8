import { expect, test } from 'vitest'
import { readCodeForm } from '../src/features/access-codes/code-form.ts'
import { readUsername } from '../src/features/account/form-fields.ts'
import { readSignInForm } from '../src/login/request/sign-in-form.ts'
import { cleanName, cleanText, hasDirectionMark } from '../src/typed-text.ts'

const HIDDEN = ['200b', '200c', '200d', '200e', '200f', '061c', '202a', '202b', '202c', '202d', '202e', '2060', '2066']
  .concat(['2067', '2068', '2069', '00ad', 'feff', '180e', '3164', '2800'])
  .map((code) => String.fromCodePoint(Number.parseInt(code, 16)))

test('each hidden character goes at the edges, with blanks between, and inside of Latin letters', () => {
  for (const one of HIDDEN) {
    expect(cleanText(`${one}ada`)).toBe('ada')
    expect(cleanText(`\u00a0${one} ada ${one}\u3000${one}`)).toBe('ada')
    expect(cleanText(`ad${one}a`)).toBe('ada')
  }
})

test.each([
  ['a joiner between letters of Arabic', 'نامه\u200cای', 'نامه\u200cای'],
  ['a joiner between letters of Devanagari', 'क्\u200dष', 'क्\u200dष'],
  ['a joiner between Latin letters', 'a\u200db', 'ab'],
  ['a joiner between a letter and a blank', 'نامه\u200c ای', 'نامه ای'],
  [
    'a joiner in a picture of several',
    'Ada \u{1F469}\u{1F3FD}\u200d\u{1F4BB}',
    'Ada \u{1F469}\u{1F3FD}\u200d\u{1F4BB}',
  ],
  ['a joiner in a flag', '\u{1F3F3}\uFE0F\u200d\u{1F308}', '\u{1F3F3}\uFE0F\u200d\u{1F308}'],
  ['a joiner behind a picture', '\u{1F469}\u200da', '\u{1F469}a'],
  ['two joiners', 'نامه\u200c\u200cای', 'نامهای'],
  ['a number sign of Arabic, which is seen', '\u06dd١', '\u06dd١'],
  ['a blank inside', 'Ada  Lovelace', 'Ada  Lovelace'],
])('%s is cleaned', (_case, typed, clean) => {
  expect(cleanText(typed)).toBe(clean)
})

test.each([
  ['mailto:ada@example.com', 'ada@example.com'],
  ['MAILTO:ada@example.com?subject=Hi', 'ada@example.com'],
  ['Zoe <zoe@example.com>', 'zoe@example.com'],
  ['"Müller, Zoe (HR)" <mailto:zoe@example.com>', 'zoe@example.com'],
  ['zoe@example.com <zoe@example.com>', 'zoe@example.com'],
  ['<zoe@example.com>', 'zoe@example.com'],
  ['Zoe [mailto:zoe@example.com]', 'zoe@example.com'],
  ["'zoe@example.com'", 'zoe@example.com'],
  ['zoe@example.com,', 'zoe@example.com'],
  ['zoe@example.com; ', 'zoe@example.com'],
  ['zoe@example.com.\u200b', 'zoe@example.com'],
  ['"zoe@example.com" <eve@example.com>', '"zoe@example.com" <eve@example.com>'],
  ['zoe@example.com, eve@example.com', 'zoe@example.com, eve@example.com'],
  ["o'hara@example.com", "o'hara@example.com"],
  ['j.doe.', 'j.doe.'],
  ['EXAMPLE\\ada', 'EXAMPLE\\ada'],
])('the name %j is %j', (typed, name) => {
  expect(cleanName(typed)).toBe(name)
})

test('a direction mark is found', () => {
  expect(['\u202e', '\u2066', '\u200f', '\u061c'].every(hasDirectionMark)).toBe(true)
  expect(hasDirectionMark('نامه\u200cای')).toBe(false)
})

test('no text takes time of its square', () => {
  const started = performance.now()
  for (const part of [' ', '\u200b', ' .', '[', '<', '\u200c']) cleanName(`@${part.repeat(4_000)}b`)
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('the forms of a password, an account and a code read the same clean name', () => {
  const username = '\u200bMailto:ada@example.com\u200e,'
  expect(readSignInForm({ username, password: ' p\u200b ' })).toMatchObject({
    form: { username: 'ada@example.com', password: ' p\u200b ' },
  })
  expect(readUsername({ username })).toBe('ada@example.com')
  const form = readCodeForm({ code: '\u200b CDF2-GHJ-KM3', name: '\u202aAda\u202c' }, { asksName: 'required' })
  expect(form).toEqual({ ok: true, form: { code: 'CDF2GHJKM3', name: 'Ada' } })
  expect(readCodeForm({ code: '\u200b ' }, { asksName: 'off' })).toMatchObject({ ok: false })
})
