import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MailSignInSettings } from '../../../../../src/features/mail-sign-in/fields.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../../cli/run-here.ts'
import { startWithCommands } from '../../../manager/real-entry-point.ts'
import { startManager } from '../../../manager/start-manager.ts'

const ADA = 'ada@example.com'
const pageOf = (name: string) => `/people/one/${encodeURIComponent(name)}`
const IN_STORE = { mode: 'store', guests: [], file: null, attribute: 'mail' } as const
const NO_PASSWORD = 'There is neither a password nor an invitation.'
const BY_MAIL = 'The person can log in with: code by email.'

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
  expect(text).toContain('Can this person log in?')
  expect(text).not.toContain(NO_PASSWORD)
  expect((await browser.get(pageOf('bob'))).text).toContain(NO_PASSWORD)
  await manager.users.setDisabled('ada', true)
  expect((await browser.get(pageOf('ada'))).text).toContain('The account is blocked.')
})

test('a guest on the list needs no account', async () => {
  const file = join(temporaryFolder(), 'guests.csv')
  writeFileSync(file, `${ADA}\n`)
  const { manager, browser } = await start({ mode: 'list', guests: [], file })
  const event = { category: 'security', time: new Date().toISOString(), event: 'sign-in', outcome: 'mail-code-wrong' }
  for (const viewer of [ADA, 'eve@example.com']) {
    appendFileSync(manager.env.SECURITY_LOG_FILE, `${JSON.stringify({ ...event, viewer })}\n`)
  }
  // The page may be reading the log as it was before.
  const textOf = async (name: string) => (await browser.get(pageOf(name))).text
  await expect.poll(() => textOf('eve@example.com')).toContain('There is no account with this name.')
  expect(await textOf(ADA)).toContain(BY_MAIL)
  // A file with a fault does not end the page.
  writeFileSync(file, 'nonsense')
  expect((await browser.get(pageOf(ADA))).status).toBe(200)
})

test('two people with one address get no code, and the page says so', async () => {
  const mail = { mailSignIn: 'store', mailSignInAttribute: 'mail' }
  const server = { SMTP_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'login@example.com' }
  const manager = await startWithCommands(mail, server)
  const browser = await manager.signedIn()
  for (const username of ['one', 'two']) {
    await manager.users.add({ username, groups: [], attributes: { mail: 'Desk@example.com' } }, null)
  }
  const shared = 'Several people have the address desk@example.com.'
  const { text } = await browser.get(pageOf('one'))
  expect(text).toContain(shared)
  expect(text).toContain(NO_PASSWORD)
  expect(text).not.toContain(BY_MAIL)
  const shown = await runHere(['viewers', 'show', 'one'], { env: manager.env, cwd: manager.folder })
  expect(shown.stdout).toContain('Code by mail    refused: other viewers have desk@example.com (mail) too')
  const { stdout } = await runHere(['viewers', 'show', 'one', '--json'], { env: manager.env, cwd: manager.folder })
  expect(JSON.parse(stdout)).toMatchObject({ sharedAddresses: [{ attribute: 'mail', address: 'desk@example.com' }] })
  await manager.users.remove('two')
  const alone = await browser.get(pageOf('one'))
  expect(alone.text).toContain(BY_MAIL)
  expect(alone.text).not.toContain(shared)
  expect(manager.faults).toEqual([])
})
