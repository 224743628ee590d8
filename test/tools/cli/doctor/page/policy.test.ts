import { expect, test } from 'vitest'
import {
  matches,
  parseMetaPolicies,
  parsePolicies,
  refusedInFrame,
} from '../../../../../src/tools/cli/doctor/page/policy.ts'

const PAGE = new URL('https://www.customer.example/live')

test.each([
  ['*', 'https://player.example/', true],
  ['*', 'data:text/html,x', false],
  ["'none'", 'https://player.example/', false],
  ["'self'", 'https://www.customer.example/embed', true],
  ["'self'", 'https://customer.example/', false],
  ['https:', 'https://player.example/', true],
  ['http:', 'https://player.example/', true],
  ['https:', 'http://player.example/', false],
  ['player.example', 'https://player.example/embed/7', true],
  ['PLAYER.example', 'https://player.example/', true],
  ['player.example', 'http://player.example/', false],
  ['http://player.example', 'https://player.example/', true],
  ['https://player.example', 'https://player.example:8443/', false],
  ['https://player.example:*', 'https://player.example:8443/', true],
  ['https://player.example:443', 'https://player.example/', true],
  ['http://player.example:80', 'https://player.example/', true],
  ['*.example', 'https://player.example/', true],
  ['*.player.example', 'https://player.example/', false],
  ['https://player.example/embed/', 'https://player.example/embed/7', true],
  ['https://player.example/embed', 'https://player.example/embed/7', false],
  ['https://player.example/', 'https://player.example/embed/7', true],
  ["'nonce-abc'", 'https://player.example/', false],
])('the source %s against %s: %s', (source, address, expected) => {
  expect(matches(source, new URL(address), PAGE)).toBe(expected)
})

test.each([
  ["frame-src 'none'; child-src *", 'https://player.example/a'],
  ["child-src 'none'; default-src *", 'https://player.example/a'],
  ["default-src 'self'", 'https://player.example/a'],
  ['frame-src https://player.example; frame-src *', 'https://moved.example/b'],
  ['frame-src *, frame-src https://moved.example', 'https://player.example/a'],
  ['frame-src https://player.example/z/', 'https://player.example/a'],
  ['frame-src https://player.example https://moved.example/z/', null],
  ["script-src 'none'", null],
  ['', null],
])('the policy "%s" refuses the address %s of a frame and its redirect', (header, expected) => {
  const addresses = [new URL('https://player.example/a'), new URL('https://moved.example/b')]
  expect(refusedInFrame(parsePolicies(header), addresses, PAGE)?.href ?? null).toBe(expected)
})

test('a policy in a meta element cannot have frame-ancestors or sandbox', () => {
  const [policy] = parseMetaPolicies(["frame-ancestors 'none'; sandbox; FRAME-SRC 'self'"])
  expect([...(policy ?? [])]).toEqual([['frame-src', ["'self'"]]])
})
