import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { type ReceivedMail, startMailServer, type TestMailServer, tokenIn } from '../../services/mail/mail-server.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { startAccountApp } from './start-account-app.ts'

const PASSWORD = 'correct horse battery'
const FORM = { newPassword: PASSWORD, repeatPassword: PASSWORD }

function environment(mail?: TestMailServer): Record<string, string> {
  return {
    PUBLIC_URL: 'https://login.example.com',
    ...(mail && { SMTP_URL: `smtp://127.0.0.1:${mail.port}`, MAIL_FROM: 'login@example.com' }),
  }
}

function storeIn(cwd: string): EditableUserStore {
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  onTestFinished(() => store.close())
  return store
}

function folderWith(csv: string): { cwd: string; file: string } {
  const cwd = temporaryFolder()
  const file = join(cwd, 'viewers.csv')
  writeFileSync(file, csv)
  return { cwd, file }
}

const recipients = (mails: readonly ReceivedMail[]) => mails.map(({ to }) => to[0]).toSorted()

test('an added viewer gets a link, sets a password by it, and can sign in', async () => {
  const mail = await startMailServer()
  const cwd = temporaryFolder()
  const env = { ...environment(mail), BRAND_NAME: 'Example Video', DEFAULT_LANGUAGE: 'de' }
  const args = ['viewers', 'add', 'ada@example.com', '--invite', '--group', 'staff', '--days', '3']
  expect(await runHere(args, { cwd, env })).toMatchObject({ status: 0, stderr: '' })
  const [invitation] = await mail.received(1)
  expect(invitation?.to).toEqual(['ada@example.com'])
  expect(invitation?.raw).toMatch(/^Content-Language: de\r$/m)
  expect(invitation?.text).toContain('https://login.example.com/account/new-password?token=')
  expect(invitation?.text).toContain('Example Video')
  const store = storeIn(cwd)
  const app = await startAccountApp({
    users: store,
    nowSeconds: () => Date.now() / 1000,
    changed: { passwordChanges: store.passwordChanges },
  })
  const token = tokenIn(invitation ?? expect.unreachable())
  expect((await app.get(`/account/new-password?token=${token}`)).text).toContain('ada@example.com')
  expect(await app.post('/account/new-password', { token, ...FORM })).toMatchObject({ status: 200 })
  expect(await app.post('/sign-in', { username: 'ada@example.com', password: PASSWORD })).toMatchObject({ status: 303 })
  expect(await store.show('ada@example.com')).toMatchObject({ viewer: { groups: ['staff'] } })
  expect(app.lines.map(({ outcome }) => outcome)).toContain('password-set')
  // The viewer gets no notice of the first password.
  expect(app.mail.mails).toEqual([])
})

test('an import invites the viewers without a password, and running it again sends nothing twice', async () => {
  const mail = await startMailServer()
  const { cwd, file } = folderWith(
    `username,password,team\na@example.com,,x\nb@example.com,${PASSWORD},x\nc@example.com,,y\nno address,,y\n`,
  )
  const run = () => runHere(['viewers', 'import', file, '--invite', '--json'], { cwd, env: environment(mail) })
  const first = await run()
  expect(JSON.parse(first.stdout)).toEqual({ added: 3, updated: 0, unchanged: 0, refused: 1, invited: 2 })
  expect(first.status).toBe(1)
  expect(first.stderr).toContain('"line":5')
  expect(recipients(await mail.received(2))).toEqual(['a@example.com', 'c@example.com'])
  expect(JSON.parse((await run()).stdout)).toEqual({ added: 0, updated: 0, unchanged: 3, refused: 1 })
  expect(mail.mails).toHaveLength(2)
})

test('an import invites viewers again whose invitation has expired', async () => {
  const mail = await startMailServer()
  const { cwd, file } = folderWith('username\na@example.com\nb@example.com\n')
  const run = () => runHere(['viewers', 'import', file, '--invite'], { cwd, env: environment(mail) })
  await run()
  const store = storeIn(cwd)
  const expired = { purpose: 'invitation', digest: 'd1', expiresAtSeconds: 1 } as const
  await store.passwordChanges.createLink('a@example.com', expired)
  await store.markSent('d1')
  expect(await run()).toMatchObject({ status: 0, stdout: expect.stringContaining('1 invited') })
  expect(recipients(mail.mails)).toEqual(['a@example.com', 'a@example.com', 'b@example.com'])
})

test('viewers list tells invited viewers from those whose invitation has expired, or who have none', async () => {
  const { cwd, file } = folderWith('username\ninvited@example.com\nexpired@example.com\nnone@example.com\n')
  await runHere(['viewers', 'import', file, '--invite', '--links', join(cwd, 'links.csv')], { cwd, env: environment() })
  const store = storeIn(cwd)
  const expired = { purpose: 'invitation', digest: 'd1', expiresAtSeconds: 1 } as const
  await store.passwordChanges.createLink('expired@example.com', expired)
  await store.markSent('d1')
  await store.revokeLinks('none@example.com')
  const { stdout } = await runHere(['viewers', 'list', '--json'], { cwd })
  const listed = JSON.parse(stdout) as { username: string; state: string }[]
  expect(listed.map(({ username, state }) => `${username} ${state}`)).toEqual([
    'expired@example.com invitation-expired',
    'invited@example.com invited',
    'none@example.com no-password',
  ])
})

test('an import that the mail server stops goes on later, and no viewer gets two links', async () => {
  let refusals = 0
  const mail = await startMailServer({
    onMailFrom(_address, _session, done) {
      if (mail.mails.length < 5 || refusals >= 4) return done()
      refusals += 1
      done(Object.assign(new Error('Try later'), { responseCode: 421 }))
    },
  })
  const names = Array.from({ length: 12 }, (_, index) => `viewer-${index}@example.com`)
  const { cwd, file } = folderWith(`username\n${names.join('\n')}\n`)
  const run = () => runHere(['viewers', 'import', file, '--invite'], { cwd, env: environment(mail) })
  const stopped = await run()
  expect(stopped).toMatchObject({ status: 1, stderr: expect.stringContaining('Run the same command again') })
  expect(mail.mails.length).toBeLessThan(12)
  expect(await run()).toMatchObject({ status: 0 })
  expect(recipients(mail.mails)).toEqual(names.toSorted())
})

test('a recipient whom the mail server refuses for now stops no import, and gets the link of a later one', async () => {
  const refused = new Set(['c@example.invalid'])
  const mail = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(refused.has(address) ? Object.assign(new Error('Unknown domain'), { responseCode: 450 }) : null),
  })
  const names = ['a@example.com', 'b@example.com', 'c@example.invalid', 'd@example.com']
  const { cwd, file } = folderWith(`username\n${names.join('\n')}\n`)
  const run = () => runHere(['viewers', 'import', file, '--invite', '--json'], { cwd, env: environment(mail) })
  const first = await run()
  expect(JSON.parse(first.stdout)).toMatchObject({ added: 4, refused: 1, invited: 3 })
  expect(first).toMatchObject({ status: 1, stderr: expect.stringContaining('"line":4') })
  refused.clear()
  expect(JSON.parse((await run()).stdout)).toMatchObject({ refused: 0, invited: 1 })
  expect(recipients(mail.mails)).toEqual(names)
})

test('an import that stops notes the mails that are still on their way', async () => {
  let isAway = true
  const mail = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(isAway && address === 'a@example.com' ? Object.assign(new Error('Away'), { responseCode: 421 }) : null),
    onData(stream, { envelope }, done) {
      stream.resume()
      stream.on('end', () => {
        accepted.push(envelope.rcptTo[0]?.address)
        // Later than the second attempt of the other mail.
        setTimeout(done, isAway ? 3_000 : 0)
      })
    },
  })
  const accepted: (string | undefined)[] = []
  const { cwd, file } = folderWith('username\na@example.com\nb@example.com\nc@example.com\n')
  const run = () => runHere(['viewers', 'import', file, '--invite'], { cwd, env: environment(mail) })
  expect(await run()).toMatchObject({ status: 1 })
  isAway = false
  expect(await run()).toMatchObject({ status: 0 })
  expect(accepted.toSorted()).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
})

test('a mail server that refuses the sender stops an import at once', async () => {
  const mail = await startMailServer({
    onMailFrom: (_address, _session, done) => done(Object.assign(new Error('Not yours'), { responseCode: 550 })),
  })
  const { cwd, file } = folderWith('username\na@example.com\nb@example.com\nc@example.com\n')
  const ended = await runHere(['viewers', 'import', file, '--invite'], { cwd, env: environment(mail) })
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/MAIL_FROM\).*Run the same command again/) })
})

test('without a mail server, the links go to a file that only this user can read', async () => {
  const { cwd, file } = folderWith('username\nada\n=cmd()\n')
  const links = join(cwd, 'links.csv')
  const run = () => runHere(['viewers', 'import', file, '--invite', '--links', links], { cwd, env: environment() })
  expect(await run()).toMatchObject({ status: 0, stdout: expect.stringContaining('2 invited') })
  expect(statSync(links).mode & 0o777).toBe(0o600)
  const lines = readFileSync(links, 'utf8').trimEnd().split('\n')
  expect(lines).toEqual([
    'username,link,expires',
    expect.stringMatching(/^ada,https:\/\/login\.example\.com\/account\/new-password\?token=[\w-]{43},2\d{3}-/),
    expect.stringMatching(/^'=cmd\(\),https:/),
  ])
  await run()
  expect(readFileSync(links, 'utf8').trimEnd().split('\n')).toHaveLength(3)
  const token = /token=([\w-]{43})/.exec(lines[1] ?? '')?.[1] ?? ''
  const store = storeIn(cwd)
  const changed = { passwordChanges: store.passwordChanges, mailQueue: null }
  const app = await startAccountApp({ users: store, nowSeconds: () => Date.now() / 1000, changed })
  expect(await app.post('/account/new-password', { token, ...FORM })).toMatchObject({ status: 200 })
})

test('another file or a device is not overwritten by links', async () => {
  const { cwd, file } = folderWith('username\nada\n')
  for (const links of [file, cwd, '/dev/zero']) {
    const args = ['viewers', 'import', file, '--invite', '--links', links]
    expect(await runHere(args, { cwd, env: environment() })).toMatchObject({ status: 1 })
  }
  expect(readFileSync(file, 'utf8')).toBe('username\nada\n')
})

test('a second invitation ends the first, and a revoked one sets no password', async () => {
  const mail = await startMailServer()
  const cwd = temporaryFolder()
  const run = (...args: string[]) => runHere(['viewers', ...args], { cwd, env: environment(mail) })
  await run('add', 'ada@example.com', '--invite')
  expect(await run('invite', 'ada@example.com')).toMatchObject({ status: 0 })
  const [first, second] = (await mail.received(2)).map(tokenIn)
  const store = storeIn(cwd)
  const app = await startAccountApp({
    users: store,
    nowSeconds: () => Date.now() / 1000,
    changed: { passwordChanges: store.passwordChanges },
  })
  const open = async (token = '') => (await app.get(`/account/new-password?token=${token}`)).status
  expect([await open(first), await open(second)]).toEqual([410, 200])
  expect(await run('invite', 'ada@example.com', '--revoke')).toMatchObject({ status: 0 })
  expect(await open(second)).toBe(410)
})

test('an invitation ends after its days', async () => {
  const mail = await startMailServer()
  const cwd = temporaryFolder()
  await runHere(['viewers', 'add', 'ada@example.com', '--invite', '--days', '2'], { cwd, env: environment(mail) })
  const token = tokenIn((await mail.received(1))[0] ?? expect.unreachable())
  const store = storeIn(cwd)
  let nowSeconds = Date.now() / 1000
  const app = await startAccountApp({
    users: store,
    nowSeconds: () => nowSeconds,
    changed: { passwordChanges: store.passwordChanges },
  })
  nowSeconds += 2 * 86_400 - 60
  expect((await app.get(`/account/new-password?token=${token}`)).status).toBe(200)
  nowSeconds += 120
  expect((await app.post('/account/new-password', { token, ...FORM })).status).toBe(410)
})

test.each([
  ['a viewer with a password', 'grace@example.com', 'has a password'],
  ['a disabled viewer', 'off@example.com', 'is disabled'],
  ['an unknown viewer', 'nobody@example.com', 'no viewer'],
  ['a viewer without an address', 'linus', 'no mail address'],
])('%s is not invited', async (_who, username, fault) => {
  const mail = await startMailServer()
  const cwd = temporaryFolder()
  const store = storeIn(cwd)
  for (const name of ['off@example.com', 'linus']) await store.add({ username: name, groups: [], attributes: {} }, null)
  await store.add({ username: 'grace@example.com', groups: [], attributes: {} }, PASSWORD)
  await store.setDisabled('off@example.com', true)
  const ended = await runHere(['viewers', 'invite', username], { cwd, env: environment(mail) })
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining(fault) })
  expect(mail.mails).toEqual([])
})

test('a refused recipient is named, and can be invited later', async () => {
  const mail = await startMailServer({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('No'), { responseCode: 550 })),
  })
  const cwd = temporaryFolder()
  const ended = await runHere(['viewers', 'add', 'ada@example.com', '--invite'], { cwd, env: environment(mail) })
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('viewers invite') })
  expect(await storeIn(cwd).inspect('ada@example.com')).toMatchObject({ invitation: { isSent: false } })
})

test.each([
  ['no SMTP_URL', ['--invite'], { PUBLIC_URL: 'https://login.example.com' }, 1, '--links'],
  ['no PUBLIC_URL', ['--invite', '--links', 'links.csv'], {}, 1, 'PUBLIC_URL'],
  ['days that are not a number', ['--invite', '--days', '0'], {}, 2, '--days'],
  ['an unknown language', ['--invite', '--links', 'links.csv', '--language', 'qqq'], environment(), 1, '--language'],
])('an invitation with %s is refused, and adds no viewer', async (_what, args, env, status, part) => {
  const cwd = temporaryFolder()
  const ended = await runHere(['viewers', 'add', 'ada@example.com', ...args], { cwd, env })
  expect(ended).toMatchObject({ status, stderr: expect.stringContaining(part) })
  expect(await storeIn(cwd).show('ada@example.com')).toMatchObject({ ok: false })
})

test('a check of an import names the same addresses as the import, sends nothing, and adds nothing', async () => {
  const mail = await startMailServer()
  const rows = ['username,mail', 'ada,ada@example.com', 'bob,', 'eve,eve@', 'joe,joe@example.com']
  const { cwd, file } = folderWith(`${rows.join('\n')}\n`)
  const options = { cwd, env: { ...environment(mail), RESET_MAIL_ATTRIBUTE: 'mail' } }
  const checked = await runHere(['viewers', 'import', file, '--invite', '--check'], options)
  expect([checked.status, checked.stdout]).toEqual([1, `${file}: 2 valid, 2 refused.\n`])
  expect(readdirSync(cwd)).toEqual(['viewers.csv'])
  const imported = await runHere(['viewers', 'import', file, '--invite'], options)
  expect(imported.stderr).toBe(checked.stderr)
  expect(imported.stderr).toContain('Line 3 has no mail address in mail. 1 more line has this fault: 4.')
  expect(recipients(mail.mails)).toEqual(['ada@example.com', 'joe@example.com'])
})

test('an import needs no address of viewers who get no invitation, and knows the stored address of those who do', async () => {
  const mail = await startMailServer()
  const { cwd, file } = folderWith('username,groups\nwith-password,x\nwith-mail,x\nwithout-mail,x\n')
  const store = storeIn(cwd)
  await store.add({ username: 'with-password', groups: [], attributes: {} }, PASSWORD)
  await store.add({ username: 'with-mail', groups: [], attributes: { mail: 'ada@example.com' } }, null)
  await store.add({ username: 'without-mail', groups: [], attributes: {} }, null)
  const options = { cwd, env: { ...environment(mail), RESET_MAIL_ATTRIBUTE: 'mail' } }
  const { stderr } = await runHere(['viewers', 'import', file, '--update', '--invite'], options)
  expect(stderr).toBe('Line 4 has no mail address in mail.\n')
  expect(recipients(mail.mails)).toEqual(['ada@example.com'])
})
