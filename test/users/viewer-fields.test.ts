import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildAuthenticationResponse } from '../../src/hash-lock/authentication-response.ts'
import {
  canonicalViewer,
  faultInAttributeName,
  faultInAttributeValue,
  faultInGroup,
  faultInUsername,
  faultInViewer,
  usernameKey,
} from '../../src/users/viewer-fields.ts'

test.each([
  ['', 'is empty'],
  ['a|b', 'contains "|", which separates the hashed values'],
  ['a\0b', 'contains a control character'],
  ['a\u0085b', 'contains a control character'],
  ['a\uD800', 'contains half of a character (a lone surrogate)'],
  [' ada', 'begins or ends with white space'],
  ['ada\u00a0', 'begins or ends with white space'],
  ['é'.repeat(128), 'is longer than 255 bytes in UTF-8'],
  ['x'.repeat(100_000), 'is longer than 255 bytes in UTF-8'],
  // Each of these becomes three characters in canonical form.
  ['\u{1D160}'.repeat(30), 'is longer than 255 bytes in UTF-8'],
])('a user name cannot be %j', (username, fault) => {
  expect(faultInUsername(username)).toBe(fault)
})

test.each(['ada', 'Ada Lovelace', 'ada@example.com', "o'neil", '佐藤', 'x'.repeat(255), '__proto__', '%'])(
  'a user name can be %j',
  (username) => {
    expect(faultInUsername(username)).toBeNull()
  },
)

test('every user name that can be added can be sent in an authentication response', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const { username } = canonicalViewer({ username: text, groups: [], attributes: {} })
      if (faultInUsername(text) === null) buildAuthenticationResponse([['user', username]], 1, 'secret')
    }),
  )
})

test.each([
  ['Ada@Example.com', 'ada@EXAMPLE.COM'],
  ['\u00c9mil', 'e\u0301mil'],
  ['\u212Bngström', 'ångström'],
  ['I', 'i'],
])('the user names %j and %j are the same', (one, other) => {
  expect(usernameKey(one)).toBe(usernameKey(other))
})

test.each([
  ['ada', 'ada '],
  ['emil', 'émil'],
  ['ı', 'i'],
  ['ﬁ', 'fi'],
])('the user names %j and %j are different', (one, other) => {
  expect(usernameKey(one)).not.toBe(usernameKey(other))
})

test('the key of a user name is its own key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(usernameKey(usernameKey(text))).toBe(usernameKey(text))
    }),
  )
})

test.each(['', 'a,b', 'a|b', 'a\nb', ' staff', 'x'.repeat(256)])('a group cannot be %j', (group) => {
  expect(faultInGroup(group)).not.toBeNull()
})

test.each(['', 'username', '__proto__', 'constructor', 'a=b', 'a,b', 'a\0', ' a', 'x'.repeat(65)])(
  'an attribute cannot be named %j',
  (name) => {
    expect(faultInAttributeName(name)).not.toBeNull()
  },
)

test('the value of an attribute can be empty or contain "|", but no control characters', () => {
  expect(['', 'a|b', ' ', 'x'.repeat(1024)].map(faultInAttributeValue)).toEqual([null, null, null, null])
  expect(['a\tb', '\uDC00', 'x'.repeat(1025)].map(faultInAttributeValue)).not.toContain(null)
})

test('the first fault of a viewer is described with the field', () => {
  const viewer = { username: 'ada', groups: ['staff'], attributes: { department: 'R&D' } }
  expect(faultInViewer(viewer)).toBeNull()
  expect(faultInViewer({ ...viewer, username: 'a|b' })).toMatch(/^The user name contains "\|"/)
  expect(faultInViewer({ ...viewer, groups: ['a,b'] })).toBe(
    'The group "a,b" contains a comma, which separates groups in the settings.',
  )
  expect(faultInViewer({ ...viewer, attributes: { username: 'x' } })).toBe('The attribute name "username" is reserved.')
  expect(faultInViewer({ ...viewer, attributes: { a: '\0' } })).toMatch(/attribute "a" .*control character/)
})

test('a canonical viewer has its texts in NFC and each group once', () => {
  expect(
    canonicalViewer({ username: 'e\u0301', groups: ['e\u0301', 'é', 'b'], attributes: { 'e\u0301': 'e\u0301' } }),
  ).toEqual({ username: 'é', groups: ['é', 'b'], attributes: { é: 'é' } })
})
