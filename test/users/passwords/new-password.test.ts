import { expect, test } from 'vitest'
import { faultInNewPassword } from '../../../src/users/passwords/new-password.ts'

const nobody: string[] = []

test.each([
  ['eight characters', 'tj7 wq0b'],
  ['128 characters', 'tj7 wq0b'.repeat(16)],
  ['128 characters that are two units each', '𝒂𝒃𝒄𝒅'.repeat(32)],
  ['spaces at the ends', '  tj7 wq '],
  ['only lower-case letters', 'heronladderteapot'],
  ['only digits', '83190274'],
  ['another alphabet', 'пароль-не-простой'],
])('a password can be chosen: %s', async (_what, password) => {
  expect(await faultInNewPassword(password, nobody)).toBeNull()
})

test.each([
  ['seven characters', 'tj7 wq0', 'The password is shorter than 8 characters.'],
  ['four characters of two units each', '𝒂𝒃𝒄𝒅', 'The password is shorter than 8 characters.'],
  ['nothing', '', 'The password is shorter than 8 characters.'],
  ['129 characters', 'x'.repeat(64) + 'y'.repeat(65), 'The password is longer than 128 characters.'],
  ['100 kB', 'xy'.repeat(50_000), 'The password is longer than 128 characters.'],
  ['a line break', 'tj7 wq0b\nx', 'The password contains a line break or NUL, which a password field cannot send.'],
  ['half a character', 'tj7 wq0b\uD800', 'The password contains half of a character (a lone surrogate).'],
  ['one character many times', 'zzzzzzzzzzzz', 'The password repeats one character.'],
])('a password is refused for %s', async (_what, password, fault) => {
  expect(await faultInNewPassword(password, nobody)).toBe(fault)
})

// The first and last ones, and one from the middle, of the 10,000 most common passwords of eight characters or more.
test.each(['password', '12345678', 'Password', 'PASSWORD1', 'qwertyuiop', 'bologna1', 'jasmine2', 'ｐａｓｓｗｏｒｄ'])(
  'a password is refused for being common: %s',
  async (password) => {
    expect(await faultInNewPassword(password, nobody)).toBe(
      'The password is among the 10,000 most common ones, which are tried first.',
    )
  },
)

test.each([
  ['the name itself', 'ada.lovelace@example.com', 'Ada.Lovelace@example.com'],
  ['its first part and a digit', 'lovelace7', 'lovelace@example.com'],
  ['the company and a year', 'Example2026!', 'ada@example.com'],
  ['both parts of a name', 'ada.lovelace', 'ada.lovelace@example.com'],
  ['a short name that is long enough', 'ada@x.io', 'ada@x.io'],
])('a password is refused for being little more than the user name: %s', async (_what, password, username) => {
  expect(await faultInNewPassword(password, [username])).toBe('The password is little more than the user name.')
})

test.each([
  ['a phrase that names the viewer', 'lovelace drinks cold tea', 'lovelace@example.com'],
  ['a short name inside', 'adamant heron 9', 'ada@example.com'],
])('a password can be chosen: %s', async (_what, password, username) => {
  expect(await faultInNewPassword(password, [username])).toBeNull()
})
