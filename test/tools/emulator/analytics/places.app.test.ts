import { expect, test } from 'vitest'
import { placeOf } from '../../../../src/tools/emulator/analytics/segments/places.ts'

test.each([
  ['127.0.0.1', 'San Francisco'],
  ['::1', 'San Francisco'],
  ['::ffff:127.0.0.5', 'Berlin'],
  ['192.0.2.10', 'Tokyo'],
  ['198.51.100.20', 'Cape Town'],
  ['203.0.113.7', 'Budapest'],
  ['127.0.0.21', 'Unknown'],
  ['127.0.0.0', 'Unknown'],
  ['127.0.1.1', 'Unknown'],
  ['8.8.8.8', 'Unknown'],
  ['2001:db8::1', 'Unknown'],
  ['127.0.0.01', 'Unknown'],
  ['', 'Unknown'],
])('%s is in %s', (address, city) => {
  expect(placeOf(address).city).toBe(city)
})
