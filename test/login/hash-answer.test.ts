import { expect, test } from 'vitest'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import type { AccessGranted } from '../../src/login/answer/access-decision.ts'
import { createHashAnswer, passToPlayer } from '../../src/login/answer/hash-answer.ts'
import { ENTRY_POINT, SECRET } from './entry-point.ts'
import { responseOf } from './response-of.ts'

const NOW = 1_000.999
const GRANTED: AccessGranted = {
  ok: true,
  parameters: [
    ['plan', 'größe ✓'],
    ['user', 'ada'],
  ],
}

function locationOf(entryPoint = ENTRY_POINT, address = entryPoint.playerAddress, granted = GRANTED): string {
  return passToPlayer(granted, entryPoint, entryPoint.secret, address, NOW)
}

test('a redirect holds the parameters in their order, and the expiry in whole seconds', () => {
  expect(responseOf(locationOf())).toEqual({
    address: ENTRY_POINT.playerAddress.url,
    parameters: GRANTED.parameters,
    expiresAtSeconds: 4600,
  })
})

test('a redirect holds no expiry if the lifetime is 0', () => {
  expect(responseOf(locationOf({ ...ENTRY_POINT, lifetimeSeconds: 0 })).expiresAtSeconds).toBeNull()
})

test.each([
  ['before its lifetime ends', 3600, 2000.9, 2000],
  ['after its lifetime ends', 3600, 9000, 4600],
  ['although the lifetime is 0', 0, 2000, 2000],
])('a response whose leave ends %s expires at the earlier end', (_case, lifetimeSeconds, endsAtSeconds, expected) => {
  const granted = { ...GRANTED, endsAtSeconds }
  const location = locationOf({ ...ENTRY_POINT, lifetimeSeconds }, ENTRY_POINT.playerAddress, granted)
  expect(responseOf(location).expiresAtSeconds).toBe(expected)
})

test('a redirect keeps the fragment of the configured address after the response', () => {
  const playerAddress = parsePlayerAddress('https://player.example/pass#at')
  expect(locationOf({ ...ENTRY_POINT, playerAddress })).toMatch(/^https:\/\/player\.example\/pass\?hash=[^#]+#at$/)
  expect(createHashAnswer(ENTRY_POINT, () => NOW).cancel(playerAddress)).toBe(
    'https://player.example/pass?hash=false#at',
  )
})

test('a redirect leads to the given address, with the secret of the entry point', () => {
  const address = { url: 'https://chat.example/customer/1?a=b', origin: 'https://chat.example' }
  const passed = responseOf(locationOf({ ...ENTRY_POINT, secret: 'other secret' }, address), 'other secret')
  expect(passed.address).toBe(address.url)
})

const repeated = [...GRANTED.parameters, ...GRANTED.parameters]
test.each([
  ['a clock that returns NaN', GRANTED, SECRET, Number.NaN],
  ['a clock with a negative time', GRANTED, SECRET, -10_000],
  ['an end that is not a number', { ...GRANTED, endsAtSeconds: Number.NaN }, SECRET, NOW],
  ['no secret', GRANTED, '', NOW],
  ['a name twice', { ...GRANTED, parameters: repeated }, SECRET, NOW],
  ['a reserved name', { ...GRANTED, parameters: [['hash', 'ada']] as const }, SECRET, NOW],
])('%s throws an exception instead of a redirect', (_case, granted, secret, now) => {
  expect(() => passToPlayer(granted, ENTRY_POINT, secret, ENTRY_POINT.playerAddress, now)).toThrow(RangeError)
})

test('a response that is too long for an address is refused', () => {
  const parameters = Array.from({ length: 40 }, (_, index) => [`a${index}`, 'x'.repeat(200)] as const)
  expect(() => locationOf(ENTRY_POINT, ENTRY_POINT.playerAddress, { ok: true, parameters })).toThrow(RangeError)
})
