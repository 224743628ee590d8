import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { startMailServer } from '../../services/mail/mail-server.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

/** Viewers without a password, three of whom are in the group `tonight`. Their invitations expired long ago. */
async function startWithGuests() {
  const mail = await startMailServer()
  const cwd = temporaryFolder()
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  onTestFinished(() => store.close())
  const names = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']
  for (const [index, username] of names.entries()) {
    await store.add({ username, groups: index < 3 ? ['tonight'] : [], attributes: {} }, null)
    const link = { purpose: 'invitation', digest: `old-${index}`, expiresAtSeconds: 1_000 } as const
    await store.passwordChanges.createLink(username, link)
    await store.markSent(link.digest)
  }
  await store.add({ username: 'has-password', groups: ['tonight'], attributes: {} }, 'correct horse battery')
  const env = {
    PUBLIC_URL: 'https://login.example.com',
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'login@example.com',
  }
  const run = (args: readonly string[], interrupted?: Promise<unknown>) =>
    runHere(['viewers', 'invite', ...args], { cwd, env, ...(interrupted && { interrupted }) })
  const recipients = () => mail.mails.flatMap(({ to }) => to)
  return { mail, cwd, env, store, run, recipients }
}

test('viewers invite --pending lists who has not followed an invitation, and how long it works', async () => {
  const { run, store } = await startWithGuests()
  const inAnHour = Math.floor(Date.now() / 1000) + 3_600
  await store.passwordChanges.createLink('b@example.com', {
    purpose: 'invitation',
    digest: 'new',
    expiresAtSeconds: inAnHour,
  })
  await store.setDisabled('c@example.com', true)
  const { stdout, status } = await run(['--pending', '--group', 'tonight'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^a@example\.com +has expired on 1970-01-01T00:16:40\.000Z$/m)
  expect(stdout).toMatch(/^b@example\.com +was not sent$/m)
  expect(stdout).not.toMatch(/c@|d@|has-password/)
  const json = JSON.parse((await run(['--pending', '--json'])).stdout)
  expect(json).toContainEqual({ username: 'd@example.com', expiresAt: '1970-01-01T00:16:40.000Z', isSent: true })
  expect(json).toHaveLength(3)
})

test('viewers invite --resend invites again who has not followed, once, and names each of them', async () => {
  const { run, recipients } = await startWithGuests()
  const first = await run(['--resend', '--group', 'tonight'])
  expect(first).toMatchObject({ status: 0, stderr: '' })
  expect(first.stdout).toContain('Invited c@example.com.')
  expect(recipients()).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
  const second = await run(['--resend', '--json'])
  expect(JSON.parse(second.stdout)).toEqual({ invited: ['d@example.com'], skipped: 3, faults: [] })
  expect(recipients()).toHaveLength(4)
  // Other days are another invitation.
  expect(await run(['--resend', '--days', '9'])).toMatchObject({ status: 0 })
  expect(recipients()).toHaveLength(8)
})

test('Ctrl-C stops a paced command at once, says who has got a mail, and the next run continues', async () => {
  const { run, mail, store, recipients } = await startWithGuests()
  const stopped = await run(['--resend', '--per-minute', '1'], mail.received(1))
  expect(stopped).toMatchObject({ status: 1, stdout: expect.stringContaining('Invited a@example.com.') })
  expect(stopped.stderr).toContain('Stopped. 1 of 4 viewers invited again. The last one is a@example.com.')
  // The earlier link of the next viewer still works as it did.
  expect(await store.inspect('b@example.com')).toMatchObject({ invitation: { expiresAtSeconds: 1_000, isSent: true } })
  expect(await run(['--resend', '--per-minute', '6000'])).toMatchObject({ status: 0 })
  expect(recipients()).toEqual(['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'])
})

test('--per-minute spreads the mails', async () => {
  const { run } = await startWithGuests()
  const startedMs = performance.now()
  await run(['--resend', '--per-minute', '240'])
  expect(performance.now() - startedMs).toBeGreaterThan(3 * 250 - 20)
})

test('a paced import stops at once, and the same import invites those who are left', async () => {
  const { mail, cwd, env, recipients } = await startWithGuests()
  const file = join(cwd, 'viewers.csv')
  writeFileSync(file, 'username\ne@example.com\nf@example.com\ng@example.com\n')
  const args = ['viewers', 'import', file, '--invite', '--per-minute']
  const stopped = await runHere([...args, '1'], { cwd, env, interrupted: mail.received(1) })
  expect(stopped).toMatchObject({ status: 1, stderr: expect.stringContaining('1 invited. Run the same import again') })
  expect(await runHere([...args, '6000'], { cwd, env })).toMatchObject({ status: 0 })
  expect(recipients().toSorted()).toEqual(['e@example.com', 'f@example.com', 'g@example.com'])
})

test('--for names the occasion in the mail, exactly as it was given', async () => {
  const { run, mail } = await startWithGuests()
  const occasion = 'Assemblée {username} & <b>27 November</b>, 20:00'
  expect(await run(['a@example.com', '--for', occasion])).toMatchObject({ status: 0 })
  const [sent] = await mail.received(1)
  expect(sent?.text).toContain(`\n${occasion}\r\n`)
  expect(sent?.html).toContain('<p style="margin:0 0 16px">Assemblée {username} &amp; &lt;b&gt;27 November')
})

test.each([
  ['a line break', 'Meeting\r\nBcc: eve@example.com'],
  ['a line feed', 'Meeting\nX: y'],
  ['a null character', 'Meeting\0'],
  ['a line separator', 'Meeting\u2028Bcc: eve@example.com'],
  ['a turn of the direction', 'Meeting\u202Emoc.elpmaxe'],
  ['half a character', 'Meeting \ud83d'],
  ['nothing', '  '],
  ['too much', 'x'.repeat(101)],
])('--for refuses %s', async (_case, text) => {
  const { run, mail } = await startWithGuests()
  expect(await run(['--resend', '--for', text])).toMatchObject({ stderr: expect.stringContaining('Use one line') })
  expect(mail.mails).toEqual([])
})

test.each([
  [[]],
  [['a@example.com', '--resend']],
  [['--pending', '--resend']],
  [['--resend', '--revoke']],
  [['a@example.com', '--group', 'tonight']],
  [['--resend', '--per-minute', '0']],
])('viewers invite refuses %j', async (args) => {
  const { run, mail } = await startWithGuests()
  expect((await run(args)).status).not.toBe(0)
  expect(mail.mails).toEqual([])
})
