import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { capacitiesAt } from '../../../src/tools/cli/capacities.ts'

import { SETTINGS } from '../../settings.ts'

const ON = { PASSKEYS: 'on' }

test.each([
  [3_000, 'SIGN_IN_LIMIT_PER_ADDRESS', {}],
  [3_000, 'SIGN_IN_LIMIT_PER_ADDRESS', { SIGN_IN_LIMIT_PER_ADDRESS: '10' }],
  [6_000, 'SIGN_IN_LIMIT_PER_ADDRESS', { SIGN_IN_LIMIT_PER_ADDRESS: '600' }],
])('passkeys of one address: %s with %j', (viewers, setting, given) => {
  const config = readConfig({ ...SETTINGS, ...ON, ...given })
  const [entryPoint = expect.unreachable()] = config.entryPoints
  const own = capacitiesAt(config, entryPoint).filter(({ wayIn }) => wayIn === 'passkey')
  expect(own).toEqual([{ wayIn: 'passkey', viewers, ...(setting && { setting }) }])
})
