import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  appendToken,
  decideRef,
  decideReturnAddress,
  parseAllowedConsumer,
} from '../../src/hash-lock/return-address.ts'

const ALLOWED = ['https://player.example/embed/', 'http://127.0.0.1:4000/embed/'].map(parseAllowedConsumer)
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
  ['that is empty', '', 'contains characters that an address cannot have'],
  ['of another host', 'https://evil.example/embed/1', NOT_LISTED],
  ['of another path', 'https://player.example/embedded/1', NOT_LISTED],
  ['that leaves the path', 'https://player.example/embed/%2e%2e/x', NOT_LISTED],
  [
    'with a listed host as the user name',
    'https://player.example@evil.example/embed/1',
    'contains a user name or password',
  ],
  [
    'with a backslash',
    'https://evil.example\\@player.example/embed/1',
    'contains characters that an address cannot have',
  ],
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
    { numRuns: 1000 },
  )
})
