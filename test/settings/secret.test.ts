import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Environment } from '../../src/settings/fields.ts'
import { readGivenSettings } from '../../src/settings/named-file.ts'
import { Secret } from '../../src/settings/secret.ts'
import { isSecret, KIT_SETTINGS } from '../kit-settings.ts'
import { mistakesIn, SETTINGS } from '../settings.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const TOO_SHORT = 'is too short'
const NOT_RANDOM = 'does not look random'

describe('a secret', () => {
  const withSecret = (HASH_SECRET: string) => mistakesIn({ ...SETTINGS, HASH_SECRET })
  test('a secret of 128 random bits is accepted in every encoding', () => {
    for (let made = 0; made < 20_000; made += 1) {
      const bits = randomBytes(16)
      for (const secret of [bits.toString('hex'), bits.toString('base64url'), bits.toString('base64')]) {
        if (!Secret.safeParse(secret).success) throw new Error(`Refused: ${secret}`)
      }
    }
  })
  test.each([
    ['32 hexadecimal digits, by chance all of them decimal', '90173864520983716254098127634580'],
    ['32 hexadecimal digits in capitals', '3F9A1C7BE2D84560AF13C9D27E6B8045'],
    ['letters beyond ASCII', 'Zwölf Boxkämpfer jagen Viktor quer über'],
    ['22 letters and digits', 'q7RxK2mTz9LpWc4VbN8sYd'],
    ['a # without white space before it', 'q7RxK2mT#zLpWc4VbN8sYdE'],
    ['signs that a shell or a URL reads', `a$b"c'd\\e&f=g#h%i|jkl m`],
  ])('a secret may be %s', (_form, secret) => {
    expect(withSecret(secret)).toEqual([])
  })
  test.each([
    ['31 hexadecimal digits', '3f9a1c7be2d84560af13c9d27e6b804', TOO_SHORT],
    ['21 letters and digits', 'q7RxK2mTz9LpWc4VbN8sY', TOO_SHORT],
    ['19 characters of all kinds', 'q7RxK2mTz9LpWc4VbN!', TOO_SHORT],
    ['one character again and again', 'a'.repeat(64), NOT_RANDOM],
    ['two characters by turns', 'ab'.repeat(32), NOT_RANDOM],
    ['one character but one', `${'a'.repeat(63)}b`, NOT_RANDOM],
    ['zeros and ones', '01101001100101101001011001101001', NOT_RANDOM],
    ['one block again and again', 'q7RxK2mT'.repeat(4), NOT_RANDOM],
    ['a row of hexadecimal digits', '0123456789abcdef0123456789abcdef', NOT_RANDOM],
    ['a row of letters', 'abcdefghijklmnopqrstuvwxyz', NOT_RANDOM],
    ['a row down', 'zyxwvutsrqponmlkjihgfedcba9876543210', NOT_RANDOM],
    ['pairs in a row', 'aabbccddeeffgghhiijjkkllmmnnoopp', NOT_RANDOM],
    ['a placeholder', 'please-change-me-before-production-1', NOT_RANDOM],
    ['a placeholder in one word', 'CHANGEME-q7RxK2mTz9LpWc4VbN8sYd', NOT_RANDOM],
    ['the word example', 'example-secret-for-the-login-app-42', NOT_RANDOM],
    ['a tab inside', '3f9a1c7be2d84560\taf13c9d27e6b8045', 'control character'],
    ['two lines', '3f9a1c7be2d84560af13c9d27e6b8045\n3f9a', 'control character'],
    ['a space behind', '3f9a1c7be2d84560af13c9d27e6b8045 ', 'starts or ends with a space'],
    ['quotation marks around it', '"3f9a1c7be2d84560af13c9d27e6b8045"', 'quotation marks'],
    ['a space before', ' 3f9a1c7be2d84560af13c9d27e6b8045', 'starts or ends with a space'],
  ])('a secret with %s is refused', (_form, secret, fault) => {
    expect(withSecret(secret)).toEqual([expect.stringMatching(`^HASH_SECRET .*${fault}`)])
  })
})

test.each(KIT_SETTINGS.filter(isSecret))('%s with a comment behind it is refused', (name) => {
  const sentence = `${name} contains a comment: remove it`
  for (const comment of [' # note', '\t#note']) {
    const mistakes = mistakesIn({ ...SETTINGS, [name]: `3f9a1c7be2d84560af13c9d27e6b8045${comment}` })
    expect(mistakes).toContainEqual(expect.stringContaining(sentence))
  }
})

describe('a secret from a file', () => {
  const key = '8045e2d84560af13c9d27e6b3f9a1c7b'
  const withFile = (HASH_SECRET_FILE: string, more: Environment = {}): Environment => {
    const { HASH_SECRET: _secret, ...others } = SETTINGS
    return { ...others, HASH_SECRET_FILE, ...more }
  }
  const file = (content: string) => {
    const path = join(temporaryFolder(), 'secret')
    writeFileSync(path, content)
    return path
  }
  test.each([
    ['as it is', key],
    ['with a line end behind it', `${key}\n`],
    ['with a line end of Windows', `${key}\r\n`],
    ['with white space around it', `\n ${key} \n\n`],
    ['with a byte order mark', `\ufeff${key}`],
  ])('a secret file is read %s', (_name, content) => {
    expect(readConfig(withFile(file(content))).entryPoints[0]).toMatchObject({ secret: key })
  })
  test('SESSION_SECRET_FILE is read', () => {
    const { SESSION_SECRET: _secret, ...others } = SETTINGS
    expect(readConfig({ ...others, SESSION_SECRET_FILE: file(`${key}\n`) }).sessions.secrets).toEqual([key])
  })
  test.each([
    ['a file that does not exist', () => join(temporaryFolder(), 'none'), 'names a file that does not exist'],
    ['a folder', () => temporaryFolder(), 'names a folder'],
    ['a path through a file', () => join(file(key), 'x'), 'ENOTDIR'],
    ['a path with a NUL', () => 'a\0b', 'ERR_INVALID_ARG_VALUE'],
    ['an empty file', () => file(''), 'names an empty file'],
    ['a file of white space', () => file(' \n'), 'names an empty file'],
  ])('%s is one mistake', (_name, path, end) => {
    expect(mistakesIn(withFile(path()))).toEqual([expect.stringMatching(`^HASH_SECRET_FILE .*${end}`)])
  })
  test('a value in a file may contain white space before #', () => {
    const POSTGRES_PASSWORD_FILE = file('pass #word')
    expect(readGivenSettings({ POSTGRES_PASSWORD_FILE }, ['POSTGRES_PASSWORD'])).toMatchObject({
      given: { POSTGRES_PASSWORD: 'pass #word' },
      mistakes: [],
    })
  })
  test('a weak secret in a file is refused', () => {
    expect(mistakesIn(withFile(file('secret')))).toEqual([expect.stringContaining(`HASH_SECRET ${TOO_SHORT}`)])
  })
  test('a secret and its file together are one mistake', () => {
    const both = ['HASH_SECRET and HASH_SECRET_FILE are both set: remove one']
    expect(mistakesIn(withFile(file(key), { HASH_SECRET: key }))).toEqual(both)
    expect(mistakesIn(withFile(file(key), { HASH_SECRET: 'weak' }))).toEqual(both)
  })
})
