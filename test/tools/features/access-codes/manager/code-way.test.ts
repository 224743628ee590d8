import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startWithCommands } from '../../../manager/real-entry-point.ts'

const CODES = { accessCodes: 'on', accessCodeKey: '7f3e9d1c5b2a48067985a4b3c2d1e0ff' }
const BY_CODE = 'The person can log in with: access code.'
const OUT = 'The person was here as a guest, and has no way in any more'

test('a guest with a code can sign in with it until it is revoked, and never with a password', async () => {
  const manager = await startWithCommands(CODES)
  const browser = await manager.signedIn()
  await browser.get('/codes')
  await browser.act('/codes/default/create', { label: 'GALA', count: '1' })
  const event = { category: 'security', time: new Date().toISOString(), event: 'sign-in', outcome: 'signed-in' }
  for (const [viewer, subject] of [
    ['GALA-0001', 'default/GALA/000001'],
    ['OLD-0001', 'default/OLD/000001'],
    ['GALA-0009', 'silver/GALA/000001'],
  ]) {
    const line = { ...event, viewer, issuer: 'codes', subject, entryPoint: 'default' }
    appendFileSync(manager.env.SECURITY_LOG_FILE, `${JSON.stringify(line)}\n`)
  }
  // The page may be reading the log as it was before.
  const textOf = async (name: string) => (await browser.get(`/people/one/${name}`)).text
  await expect.poll(() => textOf('GALA-0009')).toContain(OUT)
  expect(await textOf('OLD-0001')).toContain(OUT)
  expect(await textOf('GALA-0001')).toContain(BY_CODE)
  expect(await textOf('GALA-0001')).not.toContain('right password')
  await browser.act('/codes/default/revoke', { label: 'GALA' })
  expect(await textOf('GALA-0001')).toContain(OUT)
  expect(manager.faults).toEqual([])
})
