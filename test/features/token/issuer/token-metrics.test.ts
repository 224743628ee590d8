import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { registerTokenMetrics } from '../../../../src/features/token/issuer/token-metrics.ts'

test('tokens are counted by state, with those refused and the age of the keys', async () => {
  const registry = new Registry()
  let age: number | null = null
  const queue = () => ({ running: 2, waiting: 5 })
  await registerTokenMetrics(registry, { queue, refused: () => 3, keysAgeSeconds: () => age })
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'viewer_auth_tokens{state="running"} 2',
      'viewer_auth_tokens{state="waiting"} 5',
      'viewer_auth_tokens_refused_total 3',
    ]),
  )
  expect(lines.filter((line) => /^viewer_auth_service_keys/.test(line))).toEqual([])
  age = 3600
  expect((await registry.metrics()).split('\n')).toContain('viewer_auth_service_keys_age_seconds 3600')
})
