import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createResetLimits } from '../../src/features/account/links/reset-limits.ts'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { isInNetworks } from '../../src/sign-in-limits/settings.ts'
import { createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { SETTINGS } from '../settings.ts'

const OFFICE = '198.51.100.7'
const HOME = '203.0.113.9'

const limitsWith = (settings: Record<string, string>): SignInLimits =>
  createSignInLimits(openMemoryCounter, readConfig({ ...SETTINGS, ...settings }).addressLimit)

/** Fails once at each of so many accounts. Returns how many attempts were checked, and the limits of the others. */
async function failAt(limits: SignInLimits, address: string, accounts: number) {
  const rateLimited = new Set<string>()
  let checked = 0
  for (let count = 0; count < accounts; count += 1) {
    const admission = await limits.admit(`viewer-${count}`, address)
    const refusal = admission.ok ? await admission.attempt.failed() : admission
    if (admission.ok) checked += 1
    if (refusal !== null) rateLimited.add(refusal.limit)
  }
  return { checked, rateLimited: [...rateLimited] }
}

describe('SIGN_IN_LIMIT_PER_ADDRESS', () => {
  test('an address has 300 failures by default', async () => {
    expect(await failAt(limitsWith({}), HOME, 310)).toEqual({ checked: 300, rateLimited: ['address'] })
  })

  test('SIGN_IN_LIMIT_PER_ADDRESS sets how many failures an address has', async () => {
    const limits = limitsWith({ SIGN_IN_LIMIT_PER_ADDRESS: '20' })
    expect(await failAt(limits, HOME, 25)).toEqual({ checked: 20, rateLimited: ['address'] })
    expect(await failAt(limits, OFFICE, 1)).toEqual({ checked: 1, rateLimited: [] })
  })
})

describe('LIMITS_TRUSTED_NETWORKS', () => {
  const settings = { LIMITS_TRUSTED_NETWORKS: '192.0.2.1, 198.51.100.0/24', SIGN_IN_LIMIT_PER_ADDRESS: '20' }

  test('an address in a trusted network has no limit of its own, and other addresses keep theirs', async () => {
    const limits = limitsWith(settings)
    expect(await failAt(limits, OFFICE, 100)).toEqual({ checked: 100, rateLimited: [] })
    expect(await failAt(limits, `::ffff:${OFFICE}`, 100)).toEqual({ checked: 100, rateLimited: [] })
    expect(await failAt(limits, HOME, 100)).toEqual({ checked: 20, rateLimited: ['address'] })
  })

  test('an account in a trusted network still has its own limit', async () => {
    const limits = limitsWith(settings)
    const outcomes: string[] = []
    for (let count = 0; count < 7; count += 1) {
      const admission = await limits.admit('ada', OFFICE)
      if (admission.ok) await admission.attempt.failed()
      outcomes.push(admission.ok ? 'checked' : admission.limit)
    }
    expect(outcomes).toEqual([...Array(5).fill('checked'), 'account-and-address', 'account-and-address'])
  })

  test('an address in a trusted network has no limit on mails of its own', async () => {
    const { trustedNetworks } = readConfig({ ...SETTINGS, ...settings }).addressLimit
    const resets = createResetLimits(openMemoryCounter, 40, trustedNetworks)
    const limitAt = async (address: string) => {
      let refusal: string | undefined
      for (let count = 0; count < 20; count += 1) {
        refusal = (await resets.admit(`viewer-${count}`, address))?.limit
      }
      return refusal
    }
    expect(await limitAt(OFFICE)).toBeUndefined()
    expect(await limitAt(HOME)).toBe('network')
  })

  test.each([
    ['198.51.100.0/24', '198.51.100.255', true],
    ['198.51.100.0/24', '198.51.101.0', false],
    ['198.51.100.7', '198.51.100.7', true],
    ['198.51.100.7', '198.51.100.8', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::1', '2001:db8::1', true],
    ['0.0.0.0/1', '::1', false],
    ['198.51.100.0/24', 'unknown', false],
  ])('the network %s contains the address %s: %s', (network, address, isContained) => {
    const { addressLimit } = readConfig({ ...SETTINGS, LIMITS_TRUSTED_NETWORKS: network })
    expect(isInNetworks(addressLimit.trustedNetworks, address)).toBe(isContained)
  })
})
