import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { capacitiesAt } from '../../../src/tools/cli/capacities.ts'
import { mailEnvironment } from '../../services/mail/environment.ts'
import { SETTINGS } from '../../settings.ts'

const ON = { ...mailEnvironment(25), MAIL_SIGN_IN: 'anyone' }

test.each([
  [2_500, 'MAIL_CODES_PER_HOUR', {}],
  [2_500, 'MAIL_CODES_PER_HOUR', { SIGN_IN_LIMIT_PER_ADDRESS: '10' }],
  [3_000, 'SIGN_IN_LIMIT_PER_ADDRESS', { MAIL_CODES_PER_HOUR: '12000' }],
  [5_000, 'SIGN_IN_LIMIT_PER_ADDRESS', { MAIL_CODES_PER_HOUR: '100000', SIGN_IN_LIMIT_PER_ADDRESS: '500' }],
  [300, 'MAIL_CODES_PER_HOUR', { MAIL_CODES_PER_HOUR: '1000' }],
  [30, 'MAIL_CODES_PER_HOUR', { MAIL_CODES_PER_HOUR: '40' }],
])('codes by mail of one address: %s with %j', (viewers, setting, given) => {
  const config = readConfig({ ...SETTINGS, ...ON, ...given })
  const [entryPoint = expect.unreachable()] = config.entryPoints
  const own = capacitiesAt(config, entryPoint).filter(({ wayIn }) => wayIn === 'code by mail')
  expect(own).toEqual([{ wayIn: 'code by mail', viewers, ...(setting && { setting }) }])
})
