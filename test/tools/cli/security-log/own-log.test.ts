import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { features } from '../../../../src/features.ts'
import { findOwnLog } from '../../../../src/tools/cli/security-log/own-log.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const check = (env: Record<string, string>) => runHere(['config', 'check'], { cwd: temporaryFolder(), env })
/** The log of the app itself. A fork may have none. */
const OWN = features.find(({ securityLog }) => securityLog)?.securityLog?.path

test('commands say why there is no security log', async () => {
  expect(await findOwnLog({ SECURITY_LOG_FILE: 'off' })).toEqual({ missing: 'SECURITY_LOG_FILE is off' })
})

test('a log that SECURITY_LOG_FILE names is read even if it is missing, so that the command names the fault', async () => {
  const path = join(temporaryFolder(), 'security.log')
  expect(await findOwnLog({ SECURITY_LOG_FILE: path })).toEqual({ files: [path] })
})

test('config check refuses a security log that the start cannot open', async () => {
  const { status, stderr } = await check({ ...SETTINGS, SECURITY_LOG_FILE: '/dev/null/security.log' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('SECURITY_LOG_FILE cannot be opened (ENOTDIR).')])
})

test('config check accepts a security log in a folder that the start creates, and leaves no folder', async () => {
  const folder = temporaryFolder()
  const { status } = await check({
    ...SETTINGS,
    SECURITY_LOG_FILE: join(folder, 'logs', 'of', 'today', 'security.log'),
  })
  expect([status, readdirSync(folder)]).toEqual([0, []])
})

test('config check shows where the security log is', async () => {
  const shown = async (env: Record<string, string>) =>
    /^SECURITY_LOG_FILE +(.+?) *$/m.exec((await check({ ...SETTINGS, ...env })).stdout)?.[1]
  expect([await shown({ SECURITY_LOG_FILE: '' }), await shown({ SECURITY_LOG_FILE: 'off' })]).toEqual([
    OWN ?? 'off',
    'off',
  ])
})
