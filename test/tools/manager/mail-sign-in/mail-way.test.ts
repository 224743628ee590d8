import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MailSignInSettings } from '../../../../src/features/mail-sign-in/fields.ts'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { startManager } from '../start-manager.ts'

const ADA = 'ada@example.com'
const pageOf = (name: string) => `/people/one/${encodeURIComponent(name)}`
const IN_STORE = { mode: 'store', guests: [], file: null, attribute: 'mail' } as const
const NO_PASSWORD = 'There is neither a password nor an invitation.'
const BY_MAIL = 'The person can sign in with: code by mail.'

async function start(settings: MailSignInSettings) {
  const entryPoint = { ...ENTRY_POINT, hasPasswordForm: false, features: { 'mail-sign-in': settings } }
  const manager = await startManager({ entryPoints: [entryPoint] })
  return { manager, browser: await manager.signedIn() }
}

test('a viewer with a code by mail needs no password', async () => {
  const { manager, browser } = await start(IN_STORE)
  await manager.users.add({ username: 'ada', groups: [], attributes: { mail: ADA } }, null)
  await manager.users.add({ username: 'bob', groups: [], attributes: {} }, null)
  const { text } = await browser.get(pageOf('ada'))
  expect(text).toContain(BY_MAIL)
  expect(text).toContain('Can this person sign in?')
  expect(text).not.toContain(NO_PASSWORD)
  expect((await browser.get(pageOf('bob'))).text).toContain(NO_PASSWORD)
  await manager.users.setDisabled('ada', true)
  expect((await browser.get(pageOf('ada'))).text).toContain('The account is disabled.')
})

test('a guest on the list needs no account', async () => {
  const file = join(temporaryFolder(), 'guests.csv')
  writeFileSync(file, `${ADA}\n`)
  const { manager, browser } = await start({ mode: 'list', guests: [], file })
  const event = { category: 'security', time: new Date().toISOString(), event: 'sign-in', outcome: 'mail-code-wrong' }
  for (const viewer of [ADA, 'eve@example.com']) {
    appendFileSync(manager.env.SECURITY_LOG_FILE, `${JSON.stringify({ ...event, viewer })}\n`)
  }
  expect((await browser.get(pageOf(ADA))).text).toContain(BY_MAIL)
  expect((await browser.get(pageOf('eve@example.com'))).text).toContain('There is no account with this name.')
  // A file with a fault does not end the page.
  writeFileSync(file, 'nonsense')
  expect((await browser.get(pageOf(ADA))).status).toBe(200)
})
