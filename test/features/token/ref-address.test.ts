import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendToken, decideRef } from '../../../src/features/token/ref-address.ts'
import { decideReturnAddress, parseAllowedAddress } from '../../../src/hash-lock/return-address.ts'

const ALLOWED = ['https://player.example/embed/', 'http://127.0.0.1:4000/embed/'].map(parseAllowedAddress)
const EXACT = [parseAllowedAddress('https://player.example/embed/1234')]
const CHARACTERS = 'contains characters that an address cannot have'
const NOT_ABSOLUTE = 'is not an absolute http or https address'
const HOST = 'has an unusual host name'
const PATH = 'has a path that a server could read in two ways'
const VT = 'already has a parameter "vt"'
const NOT_LISTED = 'is not on the list of allowed addresses'

test.each([
  ['without a query', 'https://player.example/embed/1', 'https://player.example/embed/1?vt=t'],
  [
    'with a query (kept byte for byte)',
    "https://player.example/embed/recorded/1?a=%20+~'*!{}&&=&b&c=%2Fd%2f",
    "https://player.example/embed/recorded/1?a=%20+~'*!{}&&=&b&c=%2Fd%2f&vt=t",
  ],
  ['with an empty query', 'https://player.example/embed/1?', 'https://player.example/embed/1?vt=t'],
  ['with hash', 'https://player.example/embed/1?hash=a', 'https://player.example/embed/1?hash=a&vt=t'],
  [
    'with names that contain vt',
    'https://player.example/embed/1?vtx=1&avt=2',
    'https://player.example/embed/1?vtx=1&avt=2&vt=t',
  ],
])('a ref %s gets the token', (_name, ref, expected) => {
  const decision = decideRef(ref, ALLOWED)
  expect(decision.ok && appendToken(decision.address, 't')).toBe(expected)
})

test.each([
  ['that is missing', undefined, 'is missing'],
  ['that is empty', '', CHARACTERS],
  ['of another host', 'https://evil.example/embed/1', NOT_LISTED],
  ['of another path', 'https://player.example/embedded/1', NOT_LISTED],
  ['that leaves the path', 'https://player.example/embed/%2e%2e/x', NOT_LISTED],
  ['with a backslash', 'https://evil.example\\@player.example/embed/1', CHARACTERS],
  ['with a fragment', 'https://player.example/embed/1#a', 'has a fragment'],
  ['with vt', 'https://player.example/embed/1?vt=x', VT],
  ['with vt after others', 'https://player.example/embed/1?a=b&&vt=x', VT],
  ['with vt in capitals', 'https://player.example/embed/1?VT=x', VT],
  ['with vt, encoded', 'https://player.example/embed/1?%76t=x', VT],
  ['with vt, encoded twice', 'https://player.example/embed/1?%2576t=x', VT],
  ['with vt as a list', 'https://player.example/embed/1?vt[]=x', VT],
  ['with vt after ";"', 'https://player.example/embed/1?a;vt=x', VT],
  ['with a space before vt', 'https://player.example/embed/1?+vt=x', VT],
  ['with a NUL after vt', 'https://player.example/embed/1?vt%00=x', VT],
])('a ref %s is refused', (_name, ref, reason) => {
  expect(decideRef(ref, ALLOWED)).toEqual({ ok: false, reason })
})

// The address 1234 is allowed alone, or with all others below /embed/.
test.each([
  [
    'with a listed host as the user name',
    'https://player.example@evil.example/embed/1234',
    'contains a user name or password',
  ],
  ['with a user name', 'https://ada@player.example/embed/1234', 'contains a user name or password'],
  ['of a host that begins like a listed one', 'https://player.example.evil.example/embed/1234', NOT_LISTED],
  ['of a host that ends like a listed one', 'https://evilplayer.example/embed/1234', NOT_LISTED],
  ['of a host with an encoded dot', 'https://player.example%2eevil.example/embed/1234', NOT_LISTED],
  ['of a host with a dot at its end', 'https://player.example./embed/1234', NOT_LISTED],
  ['of a host with a fullwidth dot', 'https://player\uff0eexample/embed/1234', CHARACTERS],
  ['of a host in circled letters', 'https://ⓟlayer.example/embed/1234', CHARACTERS],
  ['of a host with ";"', 'https://player.example;evil.example/embed/1234', HOST],
  ['of a host with ","', 'https://player.example,evil.example/embed/1234', HOST],
  ['of another port', 'https://player.example:444/embed/1234', NOT_LISTED],
  ['of another scheme', 'http://player.example/embed/1234', NOT_LISTED],
  ['with backslashes in place of slashes', 'https:\\\\player.example\\embed\\1234', CHARACTERS],
  ['with a tab inside the scheme', 'ht\ttps://player.example/embed/1234', CHARACTERS],
  ['with a line end inside the scheme', 'https:/\n/player.example/embed/1234', CHARACTERS],
  ['with a line end at its end', 'https://player.example/embed/1234\n', CHARACTERS],
  ['with a non-ASCII letter', 'https://player.example/embed/1234é', CHARACTERS],
  ['of a blob with a listed origin', 'blob:https://player.example/embed/1234', NOT_ABSOLUTE],
  ['that is a script', 'javascript:alert(1)//https://player.example/embed/1234', NOT_ABSOLUTE],
  ['without a scheme', '//player.example/embed/1234', NOT_ABSOLUTE],
  ['with an empty fragment', 'https://player.example/embed/1234#', 'has a fragment'],
  ['with dots encoded twice', 'https://player.example/embed/%252e%252e/embed/1234', PATH],
  ['of another case', 'https://player.example/EMBED/1234', NOT_LISTED],
  ['with an encoded letter', 'https://player.example/%65mbed/1234', NOT_LISTED],
  [
    'of 2,049 characters',
    `https://player.example/embed/1234?${'x'.repeat(2049 - 34)}`,
    'is longer than 2048 characters',
  ],
])('a ref %s is refused for one reason, by an exact entry and by a prefix', (_name, ref, reason) => {
  expect(decideRef(ref, EXACT)).toEqual({ ok: false, reason })
  expect(decideRef(ref, ALLOWED)).toEqual({ ok: false, reason })
})

test.each([
  ['', ''],
  ['with an empty query', '?'],
  ['with a query', '?autoplay=1&to=/embed/9'],
])('an entry without "/" at its end allows its address %s', (_name, query) => {
  const url = `https://player.example/embed/1234${query}`
  expect(decideRef(url, EXACT)).toEqual({ ok: true, address: { url, origin: 'https://player.example' } })
})

test('an exact entry compares the address as the browser will open it', () => {
  expect(decideRef('HTTPS://Player.EXAMPLE:443/x/../embed/./1234', EXACT)).toMatchObject({
    address: { url: 'https://player.example/embed/1234' },
  })
})

test.each([
  ['a longer id', '12345'],
  ['a shorter id', '123'],
  ['a slash after it', '1234/'],
  ['a path below it', '1234/5'],
  ['a way out and back in', '1234/../5678'],
  ['two slashes before it', '/1234'],
  ['a dot after it', '1234.'],
  ['";" after it', '1234;a=b'],
  ['an encoded digit', '%31234'],
  ['an encoded "?" after it', '1234%3f'],
  ['an encoded space after it', '1234%20'],
  ['another id', '5678'],
  ['no id', ''],
])('an entry without "/" at its end does not allow an address with %s', (_name, end) => {
  const ref = `https://player.example/embed/${end}`
  expect(decideRef(ref, EXACT)).toEqual({ ok: false, reason: NOT_LISTED })
  expect(decideRef(`${ref}?a=/embed/1234`, EXACT)).toMatchObject({ ok: false })
})

test('an exact entry allows its own path only, whatever is put around it', () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    '%2e',
    '%2f',
    '%31',
    '1234',
    'embed',
    ';',
    '?',
    '#',
    '\\',
    ' ',
    '@',
    ':443',
    'x',
    'A',
  )
  const pieces = fc.array(piece, { maxLength: 6 }).map((all) => all.join(''))
  fc.assert(
    fc.property(pieces, pieces, (before, after) => {
      const decision = decideRef(`https://player.example/${before}embed/1234${after}`, EXACT)
      if (!decision.ok) return
      expect(decision.address.url.split('?')[0]).toBe('https://player.example/embed/1234')
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['without a path', 'https://player.example', 'must have a path after the host, not only an origin'],
  ['of the whole origin', 'https://player.example/', 'must have a path after the host, not only an origin'],
  ['that ends in ".."', 'https://player.example/embed/1/..', 'must end with "/"'],
  ['that ends in "."', 'https://player.example/embed/.', 'must end with "/"'],
  ['that ends in encoded dots', 'https://player.example/embed/1/%2e%2E', 'must end with "/"'],
  ['with a query', 'https://player.example/embed/1?a', 'must have neither a query nor a fragment'],
  ['with an encoded slash', 'https://player.example/embed%2f1', PATH],
])('an entry of the list of refs %s is refused', (_name, text, reason) => {
  expect(() => parseAllowedAddress(text)).toThrow(new RangeError(reason))
})

test('a hashConsumer may have vt', () => {
  const url = 'https://player.example/embed/1?vt=x'
  expect(decideReturnAddress(url, { url, origin: 'https://player.example' }, ALLOWED)).toMatchObject({ ok: true })
})

test('an accepted ref gets exactly one vt, at its end, and keeps all before it', () => {
  const query = fc.string({ unit: fc.constantFrom(...'vt=&;%76[]+?aVT0'), maxLength: 24 })
  fc.assert(
    fc.property(query, (text) => {
      const ref = `https://player.example/embed/1?${text}`
      const decision = decideRef(ref, ALLOWED)
      if (!decision.ok) return
      const location = appendToken(decision.address, 'TOKEN')
      expect(location.startsWith(ref)).toBe(true)
      const names = [...new URL(location).searchParams.keys()].map((name) => name.toLowerCase())
      expect(names.filter((name) => name === 'vt')).toHaveLength(1)
    }),
    { numRuns: 200 },
  )
})
