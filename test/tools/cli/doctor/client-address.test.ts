import { expect, test } from 'vitest'
import { findingOfAddress } from '../../../../src/tools/cli/doctor/app/client-address.ts'

test.each([
  ['the forged address', '203.0.113.77', 'forged-address'],
  ['an internal address, which is a proxy', '10.0.3.7', 'shared-address'],
  ['an internal IPv6 address, which is a proxy', 'fd00::7', 'shared-address'],
  ['its own internal address', '10.0.3.8', 'client-address'],
  ['a public address', '198.51.100.7', 'client-address'],
])('an app in the internet that sees the doctor at %s (%s) has the finding %s', (_case, seen, code) => {
  expect(findingOfAddress(seen, { app: '8.8.8.8', own: ['10.0.3.8'] }).code).toBe(code)
})

test('an app in the internal network may see internal addresses', () => {
  expect(findingOfAddress('10.0.3.7', { app: '10.0.9.9', own: [] }).code).toBe('client-address')
})
