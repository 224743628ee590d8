import { expect, test } from 'vitest'
import { wordsOfHost } from '../../../src/users/passwords/context-words.ts'
import { faultInNewPassword } from '../../../src/users/passwords/new-password.ts'

test.each([
  ['eight characters', 'tj7 wq0b'],
  ['128 characters', 'tj7 wq0b'.repeat(16)],
  ['128 characters of two code units each', '𝒕𝒋𝒘𝒒𝒛𝒎𝒃𝒙'.repeat(16)],
  ['spaces around it', '  tj7 wq '],
  ['only lower-case letters', 'heronladderteapot'],
  ['only digits', '83190274'],
  ['Cyrillic letters', 'пароль-не-простой'],
  ['a common word before others', 'password heron ladder'],
  ['a common word after others', 'heron ladder welcome2026'],
])('a password with %s can be chosen', async (_what, password) => {
  expect(await faultInNewPassword(password, 'ada', [])).toBeNull()
})

test.each([
  ['seven characters', 'tj7 wq0', 'shorter than 8'],
  ['four characters of two code units each', '𝒂𝒃𝒄𝒅', 'shorter than 8'],
  ['no characters', '', 'shorter than 8'],
  ['129 characters', 'x'.repeat(64) + 'y'.repeat(65), 'longer than 128'],
  ['100 kB', 'xy'.repeat(50_000), 'longer than 128'],
  ['a line break', 'tj7 wq0b\nx', 'line break or NUL'],
  ['a lone surrogate', 'tj7 wq0b\uD800', 'lone surrogate'],
  ['one repeated character', 'zzzzzzzzzzzz', 'repeats characters'],
  ['a repeated group', 'xqzxqzxqzxqz', 'repeats characters'],
  ['a row of keys', 'qwertzuiop', 'a row of keys'],
  ['a sequence', 'jihgfedcba', 'a row of keys'],
  ['a date', '12.05.1987', 'a date'],
  ['a repeated common password', 'password'.repeat(16), 'repeats characters'],
  ['40 digits in a row', '1234567890'.repeat(4), 'tried first'],
])('a password with %s is refused', async (_what, password, fault) => {
  expect(await faultInNewPassword(password, 'ada', [])).toContain(fault)
})

// The first from the start, the middle and the end of the 10,000 most common ones.
test.each([
  ...['password', '12345678', 'Password', 'PASSWORD1', 'qwertyuiop', 'bologna1', 'jasmine2', 'ｐａｓｓｗｏｒｄ'],
  ...['password12345', 'Password123!', 'welcome2026', 'P@ssw0rd1', 'letmein99', 'football2024', 'iloveyou!!'],
])('the common password %s is refused', async (password) => {
  expect(await faultInNewPassword(password, 'ada', [])).toBe(
    'The password is one of the most common ones, or almost, which are tried first.',
  )
})

test.each([
  ['the user name itself', 'ada.lovelace@example.com', 'Ada.Lovelace@example.com'],
  ['the first part of the user name and a digit', 'lovelace7', 'lovelace@example.com'],
  ['the company in the user name and a year', 'Example2026!', 'ada@example.com'],
  ['both words of the user name', 'ada.lovelace', 'ada.lovelace@example.com'],
  ['a user name of eight characters', 'ada@x.io', 'ada@x.io'],
])('a password made of %s is refused', async (_what, password, username) => {
  expect(await faultInNewPassword(password, username, [])).toBe('The password is little more than the user name.')
})

test.each([
  ['the user name in a phrase', 'lovelace drinks cold tea', 'lovelace@example.com'],
  ['a short user name inside a word', 'adamant heron 9', 'ada@example.com'],
])('a password with %s can be chosen', async (_what, password, username) => {
  expect(await faultInNewPassword(password, username, [])).toBeNull()
})

const words = ['Acme', 'Town Hall', 'Grüne Woche', 'video.acme-group']
test.each([
  ['a word', 'acmeacme'],
  ['a word and a year', 'Acme2026!'],
  ['two words', 'townhall-acme'],
  ['a word of two parts', 'Town Hall 1'],
  ['a word without its accents', 'grunewoche7'],
  ['a part of a host', 'acme-group1'],
  ['the user name and a word', 'lovelace.townhall9'],
])('a password made of %s is refused', async (_what, password) => {
  expect(await faultInNewPassword(password, 'lovelace@example.com', words)).toMatch(/words that attackers try first: /)
})

test.each([
  ['a word in a phrase', 'acme drinks cold tea'],
  ['a word and eight more characters', 'acmetj7wq0b3'],
])('a password with %s can be chosen', async (_what, password) => {
  expect(await faultInNewPassword(password, 'lovelace@example.com', words)).toBeNull()
})

test.each([
  ['https://login.video.acme.co.uk', ['login', 'video', 'acme']],
  ['https://acme-tv.online:8443', ['acme-tv']],
  ['http://localhost:3000', []],
  ['http://127.0.0.1:3000', []],
  ['http://[::1]:3000', []],
  ['no address', []],
])('the words of the host of %s are %j', (address, expected) => {
  expect(wordsOfHost(address)).toEqual(expected)
})

// Scoring blocks the process, and strangers can ask for it.
test('a password of 128 characters is judged about as fast as one of 16', async () => {
  const timeOf = async (length: number) => {
    const hostile = ['12', 'a1', '@4(3!1|7+0$5', '1991-12', 'p4$$w0rd'].map((text) => text.repeat(64).slice(0, length))
    const before = performance.now()
    for (const password of hostile) await faultInNewPassword(password, 'ada', [])
    return performance.now() - before
  }
  await timeOf(16)
  const short = await timeOf(16)
  const long = await timeOf(128)
  expect(long).toBeLessThan(6 * short + 100)
})
