import { expect, onTestFinished, test, vi } from 'vitest'
import { createStartLimits } from '../../../../src/services/window/flows/start-limits.ts'
import { networkOf } from '../../../../src/sign-in-limits/keys.ts'
import { openMemoryCounter } from '../../../../src/sign-in-limits/memory-counters.ts'
import { AddressLimitEnvironment } from '../../../../src/sign-in-limits/settings.ts'

test('a network may begin a number of sign-ins, and a callback gives one back', async () => {
  const limits = createStartLimits(openMemoryCounter, { perNetwork: 2, inAll: 3 })
  expect([await limits.count('a'), await limits.count('a')]).toEqual([null, null])
  const waitSeconds = await limits.count('a')
  expect(waitSeconds).toBeGreaterThan(0)
  expect(waitSeconds).toBeLessThanOrEqual(600)
  await limits.giveBack('a')
  expect(await limits.count('a')).toBeNull()
})

test('all networks together may begin a number of sign-ins', async () => {
  const limits = createStartLimits(openMemoryCounter, { perNetwork: 2, inAll: 3 })
  for (const network of ['a', 'b', 'c']) expect(await limits.count(network)).toBeNull()
  expect(await limits.count('d')).toBeGreaterThan(0)
  await limits.giveBack('a')
  expect(await limits.count('d')).toBeNull()
})

test('the starts of a trusted network count only in the limit of all', async () => {
  const given = { LIMITS_TRUSTED_NETWORKS: '198.51.100.0/24, 2001:db8::/48' }
  const { trustedNetworks } = AddressLimitEnvironment.parse(given)
  const limits = createStartLimits(openMemoryCounter, { trustedNetworks, perNetwork: 1, inAll: 5 })
  for (const address of ['198.51.100.7', '2001:db8::1']) {
    const network = networkOf(address)
    expect([await limits.count(network), await limits.count(network)]).toEqual([null, null])
  }
  expect([await limits.count('192.0.2.1'), await limits.count('192.0.2.1')]).toEqual([null, expect.any(Number)])
  expect(await limits.count('198.51.100.7')).toEqual(expect.any(Number))
  await limits.giveBack('198.51.100.7')
  expect(await limits.count('198.51.100.7')).toBeNull()
  for (let tries = 0; tries < 100; tries += 1) expect(await limits.countCode('198.51.100.7')).toBeNull()
  expect(await limits.countCode('198.51.100.7')).toEqual(expect.any(Number))
})

test('all networks of an IPv6 site share the limit of one network, so that one site cannot reach the limit of all', async () => {
  const limits = createStartLimits(openMemoryCounter, { perNetwork: 2, inAll: 3 })
  const counts: (number | null)[] = []
  for (const address of ['2001:db8:7:1::1', '2001:db8:7:2::1', '2001:db8:7:ffff::1', '2001:db8:8::1']) {
    counts.push(await limits.count(networkOf(address)))
  }
  expect(counts).toEqual([null, null, expect.any(Number), null])
  await limits.giveBack(networkOf('2001:db8:7:1::1'))
  expect(await limits.count(networkOf('2001:db8:7:3::1'))).toBeNull()
})

test('all networks of an IPv6 site share 100 codes, and refused codes do not count in the limit of all', async () => {
  const limits = createStartLimits(openMemoryCounter, { codesInAll: 201 })
  const triesOf = async (addressOf: (tries: number) => string) => {
    let checked = 0
    for (let tries = 0; tries < 150; tries += 1) {
      if ((await limits.countCode(networkOf(addressOf(tries)))) === null) checked += 1
    }
    return checked
  }
  expect(await triesOf((tries) => `2001:db8:7:${tries.toString(16)}::1`)).toBe(100)
  expect(await triesOf(() => '2001:db8:8::1')).toBe(100)
  expect(await limits.countCode('192.0.2.1')).toBeNull()
  expect(await limits.countCode('192.0.2.2')).toBeGreaterThan(0)
  await limits.giveBackCode('192.0.2.1')
  expect(await limits.countCode('192.0.2.2')).toBeNull()
})

test('all networks together have 10,000 wrong codes in ten minutes', async () => {
  const limits = createStartLimits(openMemoryCounter)
  const counts: (number | null)[] = []
  for (let tries = 0; tries < 10_100; tries += 1) {
    counts.push(await limits.countCode(`10.0.${tries % 101}.1`))
  }
  expect(counts.findIndex((seconds) => seconds !== null)).toBe(10_000)
})

test('a clock that was set back makes no wait longer than ten minutes', async () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'] })
  const limits = createStartLimits(openMemoryCounter, { perNetwork: 1, codesInAll: 1 })
  expect([await limits.count('192.0.2.1'), await limits.countCode('192.0.2.1')]).toEqual([null, null])
  vi.setSystemTime(Date.now() - 30 * 86_400_000)
  expect([await limits.count('192.0.2.1'), await limits.countCode('192.0.2.2')]).toEqual([600, 600])
})
