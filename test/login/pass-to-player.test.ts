import { expect, test } from 'vitest'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import { passToPlayer, returnWithoutResponse } from '../../src/login/pass-to-player.ts'
import { responseOf } from './response-of.ts'
import { ENTRY_POINT } from './start-login-app.ts'

const ADA = { username: 'ada', groups: [], attributes: { plan: 'größe ✓' } }
const NOW = 1_000.999

function locationOf(entryPoint = ENTRY_POINT, address = entryPoint.playerAddress, viewer = ADA): string {
  const passing = passToPlayer(viewer, entryPoint, entryPoint.secret, { content: {}, address }, NOW)
  return passing.ok ? passing.location : expect.unreachable(passing.reason)
}

test('a redirect holds the parameters in their order, and the expiry in whole seconds', () => {
  const parameters = [
    { name: 'plan', attribute: 'plan' },
    { name: 'user', attribute: 'username' },
  ]
  expect(responseOf(locationOf({ ...ENTRY_POINT, parameters }))).toEqual({
    address: ENTRY_POINT.playerAddress.url,
    parameters: [
      ['plan', 'größe ✓'],
      ['user', 'ada'],
    ],
    expiresAtSeconds: 4600,
  })
})

test('a redirect holds no expiry if the lifetime is 0', () => {
  expect(responseOf(locationOf({ ...ENTRY_POINT, lifetimeSeconds: 0 })).expiresAtSeconds).toBeNull()
})

test('a redirect keeps the fragment of the configured address after the response', () => {
  const playerAddress = parsePlayerAddress('https://player.example/pass#at')
  expect(locationOf({ ...ENTRY_POINT, playerAddress })).toMatch(/^https:\/\/player\.example\/pass\?hash=[^#]+#at$/)
  expect(returnWithoutResponse(playerAddress)).toBe('https://player.example/pass?hash=false#at')
})

test('a redirect leads to the given address, with the secret of the entry point', () => {
  const address = { url: 'https://chat.example/customer/1?a=b', origin: 'https://chat.example' }
  const passed = responseOf(locationOf({ ...ENTRY_POINT, secret: 'other secret' }, address), 'other secret')
  expect(passed.address).toBe(address.url)
})

test('a viewer who may not watch gets no redirect, but a reason', () => {
  const entryPoint = { ...ENTRY_POINT, allowedGroups: ['gold'] }
  expect(
    passToPlayer(ADA, entryPoint, entryPoint.secret, { content: {}, address: entryPoint.playerAddress }, NOW),
  ).toEqual({
    ok: false,
    reason: 'not-entitled',
  })
})

test.each([
  ['a clock that returns NaN', ENTRY_POINT, Number.NaN],
  ['a clock with a negative time', ENTRY_POINT, -10_000],
  ['no secret', { ...ENTRY_POINT, secret: '' }, NOW],
  ['a name twice', { ...ENTRY_POINT, parameters: [...ENTRY_POINT.parameters, ...ENTRY_POINT.parameters] }, NOW],
  ['a reserved name', { ...ENTRY_POINT, parameters: [{ name: 'hash', attribute: 'username' }] }, NOW],
])('%s throws an exception instead of a redirect', (_case, entryPoint, now) => {
  expect(() =>
    passToPlayer(ADA, entryPoint, entryPoint.secret, { content: {}, address: entryPoint.playerAddress }, now),
  ).toThrow(RangeError)
})

test('a response that is too long for an address is refused', () => {
  const attributes = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a${index}`, 'x'.repeat(200)]))
  const parameters = Object.keys(attributes).map((name) => ({ name, attribute: name }))
  const pass = () =>
    passToPlayer(
      { ...ADA, attributes },
      { ...ENTRY_POINT, parameters },
      ENTRY_POINT.secret,
      { content: {}, address: ENTRY_POINT.playerAddress },
      NOW,
    )
  expect(pass).toThrow(RangeError)
})
