import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startMailServer, tokenIn } from '../../../../services/mail/mail-server.ts'
import { mailEnvironment, startWithCommands } from '../../../manager/real-entry-point.ts'

async function startWithMail(entry: object = {}) {
  const mail = await startMailServer()
  const manager = await startWithCommands(entry, mailEnvironment(mail))
  // Links begin at the time of the machine.
  manager.clock.seconds = Date.now() / 1000
  return { mail, manager }
}

const one = (name: string, act = '') => `/people/one/${encodeURIComponent(name)}${act && `/${act}`}`
const recipients = (mails: readonly { readonly to: readonly string[] }[]) => mails.map(({ to }) => to[0]).toSorted()

test('a person who is added with an invitation gets a mail with a link, and another one by a click', async () => {
  const { mail, manager } = await startWithMail()
  const browser = await manager.signedIn()
  await browser.get('/people/add')
  const added = await browser.act('/people/add', { username: 'ada@example.com', invite: 'on' })
  expect(added.text).toContain('ada@example.com was added')
  const [first] = await mail.received(1)
  expect(first?.to).toEqual(['ada@example.com'])
  const again = await browser.act(one('ada@example.com', 'send-link'))
  expect(again.status).toBe(200)
  const [, second] = await mail.received(2)
  expect(first && second && tokenIn(first) !== tokenIn(second)).toBe(true)
  expect((await browser.get(one('ada@example.com'))).text).toContain('has not followed the invitation yet')
  expect(manager.faults).toEqual([])
})

test('a help desk sends a link for a new password, to a person with a password and to one without', async () => {
  const { mail, manager } = await startWithMail()
  await manager.users.add({ username: 'ada@example.com', groups: [], attributes: {} }, 'four rather long words')
  await manager.users.add({ username: 'bob@example.com', groups: [], attributes: {} }, null)
  await manager.users.add({ username: 'eve@example.com', groups: [], attributes: {} }, 'four rather long words')
  await manager.users.setDisabled('eve@example.com', true)
  const browser = await manager.signedIn('help-desk')
  const { text } = await browser.get(one('ada@example.com'))
  expect(text).toContain('action="/people/one/ada%40example.com/send-link"')
  for (const name of ['ada', 'bob', 'eve']) await browser.act(one(`${name}@example.com`, 'send-link'))
  const [reset, invitation, ...more] = await mail.received(2)
  expect([reset?.to, invitation?.to, more]).toEqual([['ada@example.com'], ['bob@example.com'], []])
  const linkOf = async (sent: typeof reset) => {
    const digest = createHash('sha256')
      .update(sent ? tokenIn(sent) : '')
      .digest('base64url')
    return await manager.users.passwordChanges.findLink(digest, Date.now() / 1000)
  }
  expect(await linkOf(reset)).toMatchObject({ purpose: 'reset', viewer: { username: 'ada@example.com' } })
  expect(await linkOf(invitation)).toMatchObject({ purpose: 'invitation', viewer: { username: 'bob@example.com' } })
  expect(manager.acts().filter(({ outcome }) => outcome === 'link-sent')).toHaveLength(2)
  expect(manager.faults).toEqual([])
})

test('an import of a sheet invites the new people', async () => {
  const { mail, manager } = await startWithMail()
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const { location } = await browser.upload(
    '/people/import',
    'x.csv',
    'Email;Group\na@example.com;x\nb@example.com;x\n',
    {
      invite: 'on',
    },
  )
  await browser.get(location ?? '')
  expect((await browser.act('/people/import/confirm')).text).toContain('2 invitations are being sent')
  expect(recipients(await mail.received(2))).toEqual(['a@example.com', 'b@example.com'])
  expect(manager.faults).toEqual([])
})

test('those who have not come are invited again, and only those whom the manager sees', async () => {
  const { mail, manager } = await startWithMail({ allowedGroups: ['gold'] })
  const all = await manager.signedIn()
  await all.get('/people/add')
  for (const [username, groups] of [
    ['gold@example.com', 'gold, press'],
    ['both@example.com', 'gold, silver'],
    ['silver@example.com', 'silver'],
  ] as const) {
    await all.post('/people/add', { username, groups })
    // An old invitation, whose link has expired.
    const link = { purpose: 'invitation', digest: username, expiresAtSeconds: 1 } as const
    await manager.users.passwordChanges.createLink(username, link)
  }
  const browser = await manager.signedIn('event-manager', ['default'], 'gold-manager@example.com')
  await browser.get('/people')
  expect((await browser.act('/people/invite', { group: 'silver' })).text).toContain('class="notice refused"')
  expect((await browser.act('/people/invite')).text).toContain('2 invitations are being sent')
  expect(recipients(await mail.received(2))).toEqual(['both@example.com', 'gold@example.com'])
  expect((await all.act('/people/invite')).text).toContain('1 invitation is being sent. 2 people get none')
  expect(recipients(await mail.received(3))).toContain('silver@example.com')
  expect(manager.faults).toEqual([])
})

test('two managers who invite again at the same moment send one mail', async () => {
  const held = Promise.withResolvers<void>()
  let asked = 0
  const mail = await startMailServer({
    onRcptTo: (_address, _session, done) => {
      asked += 1
      void held.promise.then(() => done())
    },
  })
  const manager = await startWithCommands({}, mailEnvironment(mail))
  for (const username of ['ada@example.com', 'bob@example.com']) {
    await manager.users.add({ username, groups: [], attributes: {} }, null)
    const link = { purpose: 'invitation', digest: username, expiresAtSeconds: 1 } as const
    await manager.users.passwordChanges.createLink(username, link)
  }
  const eve = await manager.signedIn()
  const joe = await manager.signedIn('event-manager', null, 'joe@example.com')
  for (const browser of [eve, joe]) await browser.get('/people')
  expect((await eve.act('/people/invite')).text).toContain('2 invitations are being sent')
  await expect.poll(() => asked).toBe(2)
  // Both mails are on their way.
  expect((await joe.act(one('ada@example.com', 'send-link'))).text).toContain('class="notice refused"')
  expect((await joe.act('/people/invite')).status).toBe(200)
  held.resolve()
  await expect.poll(async () => (await eve.get('/people')).text).toContain('2 of 2 invitations sent.')
  expect(recipients(mail.mails)).toEqual(['ada@example.com', 'bob@example.com'])
  expect(manager.faults).toEqual([])
})

test('without a mail server, the page says so, and no one is invited', async () => {
  const manager = await startWithCommands()
  const browser = await manager.signedIn()
  await browser.get('/people/add')
  const added = await browser.act('/people/add', { username: 'ada@example.com', invite: 'on' })
  expect(added.text).toContain('ada@example.com')
  expect(added.text).toContain('class="notice refused"')
  expect(added.text).not.toMatch(/SMTP_URL/)
  expect(manager.faults).toEqual([])
})

test('the preview of a sheet promises exactly the invitations that go out, and names the addresses that can get none', async () => {
  const mail = await startMailServer()
  const manager = await startWithCommands({}, { ...mailEnvironment(mail), RESET_MAIL_ATTRIBUTE: 'mail' })
  const known = (username: string, address: string) => ({ username, groups: [], attributes: { mail: address } })
  await manager.users.add(known('has-password', 'has@example.com'), 'correct horse battery')
  await manager.users.add(known('was-added', 'was@example.com'), null)
  await manager.users.add(known('is-invited', 'is@example.com'), null)
  const link = { purpose: 'invitation', digest: 'x', expiresAtSeconds: Date.now() / 1000 + 86_400 } as const
  await manager.users.passwordChanges.createLink('is-invited', link)
  await manager.users.markSent('x')
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const rows = [
    'username,mail,disabled',
    'new,new@example.com,',
    'no-address,,',
    'half,half@,',
    'disabled,disabled@example.com,true',
    'has-password,,',
    'was-added,,',
    'is-invited,,',
  ]
  const { location } = await browser.upload('/people/import', 'x.csv', rows.join('\n'), { invite: 'on' })
  const { text } = await browser.get(location ?? '')
  expect(text).toContain('Import 2 people, send invitations: 2')
  expect(text.match(/<th scope="row" class="count">\d+<\/th><td>[^<]+/g)).toEqual(
    ['3', '4'].map((row) => `<th scope="row" class="count">${row}</th><td>No email address for the invitation.`),
  )
  expect((await browser.act('/people/import/confirm')).text).toContain('2 invitations are being sent')
  expect(recipients(await mail.received(2))).toEqual(['new@example.com', 'was@example.com'])
  expect((await manager.users.show('half')).ok).toBe(false)
  expect(manager.faults).toEqual([])
})

test('the preview of a sheet promises no invitation if the page can send no mail', async () => {
  const manager = await startWithCommands()
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const { location } = await browser.upload('/people/import', 'x.csv', 'Email\na@example.com\n', { invite: 'on' })
  const { text } = await browser.get(location ?? '')
  expect(text).toContain('This page cannot send emails at the moment')
  expect(text).toContain('>Import 1 person</button>')
  expect((await browser.act('/people/import/confirm')).text).not.toContain('being sent')
})

test('a person whose address can get no invitation is not added', async () => {
  const { mail, manager } = await startWithMail()
  const browser = await manager.signedIn()
  await browser.get('/people/add')
  const { status, text } = await browser.post('/people/add', { username: 'ada@', invite: 'on', groups: 'press' })
  expect([status, text]).toEqual([400, expect.stringContaining('No email address for the invitation.')])
  expect(text).toContain('value="press"')
  expect((await manager.users.show('ada@')).ok).toBe(false)
  expect(mail.mails).toEqual([])
})
