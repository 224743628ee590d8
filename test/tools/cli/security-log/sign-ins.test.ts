import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { addSession } from '../viewers/who-is-in/stored-session.ts'

const MINUTE = 60

test('the log gives sessions list the device, the address and the entry point of each sign-in', async () => {
  const cwd = temporaryFolder()
  const now = Math.floor(Date.now() / 1000)
  const file = join(cwd, 'sessions.db')
  for (const [index, ago] of [10, 20].entries()) {
    await addSession(file, `ada-${index}`, { username: 'Ada', signedInAtSeconds: now - ago * MINUTE })
  }
  await addSession(file, 'bob', { username: 'bob', signedInAtSeconds: now - 10 * MINUTE })
  const line = (viewer: string, seconds: number, address: string, outcome = 'signed-in') => {
    const time = new Date((seconds - 0.5) * 1000)
    return JSON.stringify({
      category: 'security',
      event: 'sign-in',
      entryPoint: 'gold',
      time,
      outcome,
      viewer,
      address,
      device: 'Firefox, Windows',
    })
  }
  const log = join(cwd, 'security.log')
  const lines = [
    line('ada', now - 10 * MINUTE, '192.0.2.1'),
    line('ADA', now - 20 * MINUTE, '192.0.2.2'),
    line('bob', now - 12 * MINUTE, '192.0.2.3'),
    line('bob', now - 10 * MINUTE, '192.0.2.4', 'wrong-credentials'),
  ]
  writeFileSync(log, `${lines.join('\n')}\n`)
  const list = (securityLog: string) => {
    const env = { ...SETTINGS, SESSION_STORE_URL: `sqlite:${file}`, SECURITY_LOG_FILE: securityLog }
    return runHere(['sessions', 'list', '--json'], { cwd, env })
  }
  const rows = JSON.parse((await list(log)).stdout) as Record<string, unknown>[]
  expect(rows.map((row) => [row.username, row.address, row.entryPoint, row.device]).toSorted()).toEqual([
    ['Ada', '192.0.2.1', 'gold', 'Firefox, Windows'],
    ['Ada', '192.0.2.2', 'gold', 'Firefox, Windows'],
    ['bob', null, null, null],
  ])
  expect(await list(join(cwd, 'missing.log'))).toMatchObject({ status: 0 })
})
