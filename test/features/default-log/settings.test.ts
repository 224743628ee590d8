import { expect, test } from 'vitest'
import { readActivitySettings, readConfig } from '../../../src/config.ts'
import { defaultLog } from '../../../src/features/default-log/feature.ts'
import { openNamedFile } from '../../../src/server/log/log-files.ts'
import { SETTINGS } from '../../settings.ts'

test.each([
  [undefined, defaultLog.securityLog],
  ['', defaultLog.securityLog],
  ['off', null],
  ['data/security.log', { path: 'data/security.log', open: openNamedFile }],
])('SECURITY_LOG_FILE=%s chooses the security log of the app and of its commands', (file, log) => {
  const environment = { ...SETTINGS, SECURITY_LOG_FILE: file }
  expect(readConfig(environment).securityLog).toEqual(log)
  expect(readActivitySettings(environment).securityLogFile).toBe(log?.path ?? null)
})
