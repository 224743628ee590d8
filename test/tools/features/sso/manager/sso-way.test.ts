import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { startManager } from '../../../manager/start-manager.ts'

test.each([
  ['with single sign-on', { sso: {} }, 'The person can log in with: single sign-on.'],
  ['no longer with single sign-on', {}, 'Nothing that this page knows is in the way.'],
])('a person of an identity provider can sign in %s, and never with a password', async (_how, features, sentence) => {
  const manager = await startManager({ entryPoints: [{ ...ENTRY_POINT, features }] })
  const browser = await manager.signedIn()
  const event = { category: 'security', time: new Date().toISOString(), event: 'sign-in', outcome: 'signed-in' }
  const line = { ...event, viewer: 'ada', issuer: 'https://login.example.com', subject: '1', entryPoint: 'default' }
  appendFileSync(manager.env.SECURITY_LOG_FILE, `${JSON.stringify(line)}\n`)
  // The page may be reading the log as it was before.
  const textOf = async () => (await browser.get('/people/one/ada')).text
  await expect.poll(textOf).toContain(sentence)
  expect(await textOf()).not.toContain('right password')
})
