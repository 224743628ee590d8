import { expect, test } from 'vitest'
import { domainOf, parseMailAddress, parseMailPattern } from '../../../src/services/guests/mail-address.ts'

const LONGEST = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['  Ada.Lovelace@EXAMPLE.com ', 'ada.lovelace@example.com'],
  ['ada+tag@example.com', 'ada+tag@example.com'],
  ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
  ['ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example'],
  ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  ['ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
  // The first letter of the domain is Cyrillic.
  ['ada@еxample.com', 'ada@xn--xample-2of.com'],
  ["o'hara~x@example.co.uk", "o'hara~x@example.co.uk"],
  [LONGEST, LONGEST],
  ['\u200bada@example.com\u200e', 'ada@example.com'],
  ['ada\u200b@exam\u00adple.com', 'ada@example.com'],
  ['Ada <ada@example.com>', 'ada@example.com'],
  ['"Ada Lovelace (HR)" <Ada@example.com>;', 'ada@example.com'],
  ['<ada@example.com>', 'ada@example.com'],
  ['mailto:ada@example.com?subject=Hello', 'ada@example.com'],
  ['ada@example.com.', 'ada@example.com'],
])('%s is the address %s', (typed, address) => {
  expect(parseMailAddress(typed)).toBe(address)
})

test.each([
  ['nothing', ''],
  ['no domain', 'ada@'],
  ['no local part', '@example.com'],
  ['no dot in the domain', 'ada@localhost'],
  ['two addresses', 'ada@example.com, eve@example.com'],
  ['two signs', 'ada@eve@example.com'],
  ['another address as its name', '"ada@example.com" <eve@example.com>'],
  ['a quoted local part', '"ada"@example.com'],
  ['a quoted local part with a sign', '"ada@evil.example"@example.com'],
  ['a comment', 'ada(comment)@example.com'],
  ['a line break that adds a header', 'ada@example.com\r\nBcc: eve@example.com'],
  ['a line break inside', 'ada\n@example.com'],
  ['NUL', 'ada\0@example.com'],
  ['an address of a machine', 'ada@127.0.0.1'],
  ['an address in brackets', 'ada@[127.0.0.1]'],
  ['a number as a host', 'ada@0x7f.1'],
  ['an encoded domain', 'ada@ex%61mple.com'],
  ['two dots', 'ada..l@example.com'],
  ['a dot at the beginning', '.ada@example.com'],
  ['a local part in Cyrillic', 'аda@example.com'],
  ['the Kelvin sign', '\u212Aate@example.com'],
  ['an underscore in the domain', 'ada@exa_mple.com'],
  ['a hyphen at the edge of a label', 'ada@-example.com'],
  ['a wrong xn-- label', 'ada@xn--\u0000.com'],
  ['255 characters', `a${LONGEST}`],
  ['a local part of 65 characters', `${'a'.repeat(65)}@example.com`],
  ['a megabyte', 'a'.repeat(1_000_000)],
])('%s is not an address', (_case, typed) => {
  expect(parseMailAddress(typed)).toBeNull()
})

test.each([[undefined], [1], [['ada@example.com']], [{}]])('%j is not an address', (given) => {
  expect(parseMailAddress(given)).toBeNull()
})

test('a canonical address stays as it is', () => {
  for (const typed of ['Ada@MÜNCHEN.example', LONGEST.toUpperCase(), 'x+y@a.b.example']) {
    const address = parseMailAddress(typed)
    expect(parseMailAddress(address)).toBe(address)
  }
})

test.each([
  ['*@Example.com', { domain: 'example.com' }],
  [' *@münchen.example', { domain: 'xn--mnchen-3ya.example' }],
  ['Ada@Example.com', { address: 'ada@example.com' }],
  ['*@*.example.com', null],
  ['*@', null],
  ['example.com', null],
])('the item %s of a list means %j', (text, pattern) => {
  expect(parseMailPattern(text)).toEqual(pattern)
})

test('the domain of an address is after its sign', () => {
  expect(domainOf('ada@example.com')).toBe('example.com')
})
