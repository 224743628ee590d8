import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { filesWith } from '../../server/files-with.ts'
import { START_SECONDS, startManager } from './start-manager.ts'

const ADA = 'ada@example.com'
const NO_PASSWORD = 'There is neither a password nor an invitation.'
const ONE = `/people/one/${encodeURIComponent(ADA)}`

async function withAda() {
  const manager = await startManager()
  await manager.users.add({ username: ADA, groups: ['staff'], attributes: { department: 'Research' } }, null)
  const browser = await manager.signedIn()
  return { manager, browser }
}

test('a person is added, with groups and attributes', async () => {
  const { manager, browser } = await withAda()
  await browser.get('/people/add')
  const fields = { username: ' bob@example.com ', groups: 'press; staff', attributes: 'department=News\nfloor=2' }
  expect((await browser.act('/people/add', fields)).text).toContain('bob@example.com was added.')
  expect(await manager.users.show('bob@example.com')).toMatchObject({
    viewer: { groups: ['press', 'staff'], attributes: { department: 'News', floor: '2' } },
  })
  // A double click is one act.
  expect((await browser.act('/people/add', fields)).text).toContain('bob@example.com was added.')
  expect((await browser.act('/people/add', { ...fields, groups: 'press' })).text).toContain('already exists')
})

test('a mistyped name is changed on the page, and back again with the button of the message', async () => {
  const { manager, browser } = await withAda()
  const other = 'adda@example.com'
  await browser.get(ONE)
  const renamed = await browser.act(`${ONE}/rename`, { newName: ` ${other} ` })
  expect(renamed.text).toContain(`${ADA} is called ${other} now.`)
  expect(renamed.text).toContain(`keep ${ADA}`)
  expect(manager.acts().at(-1)).toMatchObject({ outcome: 'viewer-renamed', viewer: ADA, detail: other })
  expect(await manager.users.show(other)).toMatchObject({ ok: true, viewer: { groups: ['staff'] } })
  // A second click does nothing twice.
  expect((await browser.act(`${ONE}/rename`, { newName: ` ${other} ` })).text).toContain(other)
  const [, undo = ''] = /<form method="post" action="([^"]+rename)"/.exec(renamed.text) ?? []
  await browser.act(undo, { newName: ADA })
  expect(await manager.users.show(ADA)).toMatchObject({ ok: true, viewer: { groups: ['staff'] } })
  expect((await manager.users.show(other)).ok).toBe(false)
})

test.each([
  ['empty', { newName: ' ' }, 'The username has white space'],
  ['not a name', { newName: 'a|b' }, 'The username has white space'],
  ['of another person', { newName: 'BOB' }, 'BOB already exists.'],
])('a new name that is %s is refused, and comes back', async (_what, fields, sentence) => {
  const { manager, browser } = await withAda()
  await manager.users.add({ username: 'bob', groups: [], attributes: {} }, null)
  await browser.get(ONE)
  const { text } = await browser.act(`${ONE}/rename`, fields)
  expect(text).toContain(sentence)
  expect((await manager.users.show(ADA)).ok).toBe(true)
})

test.each([
  ['rename', { newName: 'a|b' }],
  ['send-link', {}],
])('a refused %s leaves the other form of the page as it was', async (act, fields) => {
  const { browser } = await withAda()
  const formIn = (text: string) => /<form method="post" action="[^"]+edit".*?<\/form>/s.exec(text)?.[0]
  const before = await browser.get(ONE)
  const { text } = await browser.act(`${ONE}/${act}`, fields)
  expect(text).toContain('notice refused')
  expect(formIn(text)).toBe(formIn(before.text))
})

test('a new name without its invitation is told', async () => {
  const { manager, browser } = await withAda()
  await browser.get(ONE)
  const sent = await browser.act(`${ONE}/send-link`)
  const [, fault = ''] = /notice refused".*?<p>[^<.]*\. ([^<]+)</s.exec(sent.text) ?? []
  expect(fault).not.toBe('')
  const { text } = await browser.act(`${ONE}/rename`, { newName: 'bob@example.com', invite: 'on' })
  expect(text).toContain(fault)
  expect((await manager.users.show('bob@example.com')).ok).toBe(true)
})

test('two managers who change a person at once do not overwrite each other', async () => {
  const { manager, browser } = await withAda()
  const other = await manager.signedIn('event-manager', null, 'joe@example.com')
  const version = (text: string) => /name="version" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const mine = version((await browser.get(ONE)).text)
  const theirs = version((await other.get(ONE)).text)
  await other.post(`${ONE}/edit`, { version: theirs, groups: 'press', attributes: 'department=News' })
  const { text } = await browser.act(`${ONE}/edit`, { version: mine, groups: 'staff', attributes: '' })
  expect(text).toContain('Another person changed this account in the meantime')
  expect(await manager.users.show(ADA)).toMatchObject({
    viewer: { groups: ['press'], attributes: { department: 'News' } },
  })
})

test('a person is put out and let in again with the button of the message', async () => {
  const { manager, browser } = await withAda()
  await browser.get(ONE)
  const { text } = await browser.act(`${ONE}/put-out`)
  expect(text).toContain('is blocked and logged out')
  expect(text).toContain('How long an open player may keep watching is not known here.')
  const [, undo = ''] = /<form method="post" action="([^"]+enable)"/.exec(text) ?? []
  await browser.act(undo)
  expect(await manager.users.show(ADA)).toMatchObject({ viewer: { disabled: false } })
})

const inOrder = (text: string) => / (?:until|bis) (\d\d:\d\d)(?:\.| weiterlaufen)/.exec(text)?.[1]
const clock = (seconds: number) => new Date(Math.ceil(seconds / 60) * 60_000).toTimeString().slice(0, 5)

test.each([
  ['a response', { ...ENTRY_POINT, lifetimeSeconds: 600 }, clock(START_SECONDS + 600)],
  ['a response without an end', { ...ENTRY_POINT, lifetimeSeconds: 0 }, 'may keep watching for ever'],
] as const)(
  'who is put out, disabled, removed or forgotten may keep watching until the end of %s',
  async (_of, entryPoint, end) => {
    const manager = await startManager({ entryPoints: [entryPoint] })
    const browser = await manager.signedIn()
    await browser.get('/people')
    for (const act of ['put-out', 'disable', 'remove', 'forget']) {
      await manager.users.add({ username: 'bob', groups: [], attributes: {} }, null)
      const notice = (text: string) => /<div class="notice done"[^>]*><p>([^<]+)</.exec(text)?.[1] ?? ''
      expect([act, notice((await browser.act(`/people/one/bob/${act}`)).text)]).toEqual([
        act,
        expect.stringContaining(end),
      ])
      await manager.users.remove('bob')
    }
    await manager.users.add({ username: 'bob', groups: [], attributes: {} }, null)
    const many = await browser.act('/people/many', { work: 'disable', name: 'bob', count: '1' })
    expect(many.text).toContain(end)
    if (inOrder(many.text)) {
      const german = await browser.get('/people/one/bob', { 'Accept-Language': 'de' })
      expect(inOrder(german.text)).toBe(end)
    }
  },
)

test.each(['xyz', '2026-02-31', 'never --json', '--help'])(
  'an end %s is refused before anything is done',
  async (until) => {
    const { manager, browser } = await withAda()
    await browser.get('/people/add')
    const added = await browser.act('/people/add', { username: 'bob@example.com', until })
    expect(added).toMatchObject({ status: 400, text: expect.stringContaining('Write the end as a day or a time') })
    expect((await manager.users.show('bob@example.com')).ok).toBe(false)
    const version = /name="version" value="([^"]+)"/.exec((await browser.get(ONE)).text)?.[1] ?? ''
    const edited = await browser.act(`${ONE}/edit`, { version, groups: 'press', attributes: '', until })
    expect(edited.text).toContain('Write the end as a day or a time')
    expect(await manager.users.show(ADA)).toMatchObject({ viewer: { groups: ['staff'] } })
    expect(manager.faults).toEqual([])
  },
)

test('the page says why a person cannot sign in, and what helps', async () => {
  const { manager, browser } = await withAda()
  expect((await browser.get(ONE)).text).toContain(NO_PASSWORD)
  await manager.users.setDisabled(ADA, true)
  const { text } = await browser.get(ONE)
  expect(text).toContain('The account is blocked.')
  expect(text).toContain(`${ONE}/enable`)
})

test('an app that invites nobody offers no invitation', async () => {
  const { users, signedIn } = await startManager({ viewerFacts: [] })
  await users.add({ username: ADA, groups: [], attributes: {} }, null)
  const browser = await signedIn()
  for (const path of [ONE, '/people', '/people/add', '/people/import']) {
    const { status, text } = await browser.get(path)
    expect([path, status, text.match(/[^>]*invit[^<]*/g)]).toEqual([path, 200, path === ONE ? [NO_PASSWORD] : null])
  }
})

test('a person is forgotten: the account, the sessions and the counts', async () => {
  const { manager, browser } = await withAda()
  await browser.get(ONE)
  expect((await browser.act(`${ONE}/forget`)).text).toContain('is forgotten')
  expect((await manager.users.show(ADA)).ok).toBe(false)
  expect(manager.acts().at(-1)).toMatchObject({ outcome: 'viewer-forgotten', viewer: ADA })
})

test.each([
  [null, ['gold', 'silver']],
  [['gold'], ['gold']],
])('a person gets all that is known as a file, and a manager of %j only the lines of these', async (only, seen) => {
  const gold = { ...ENTRY_POINT, name: 'gold', allowedGroups: ['staff'] }
  const manager = await startManager({ entryPoints: [gold, { ...gold, name: 'silver' }] })
  await manager.users.add({ username: ADA, groups: ['staff'], attributes: { department: 'Research' } }, null)
  await manager.users.add({ username: 'bob', groups: ['press'], attributes: {} }, null)
  const line = { category: 'security', time: '2026-11-29T10:00:00.000Z', event: 'sign-in', outcome: 'signed-in' }
  const lines = ['gold', 'silver'].map((entryPoint) => JSON.stringify({ ...line, viewer: ADA, entryPoint }))
  writeFileSync(manager.env.SECURITY_LOG_FILE, `${lines.join('\n')}\n`)
  const mail = { kind: 'invitation', language: 'en', manager: 'eve', usernames: [ADA] }
  for (const entryPoint of ['gold', 'silver']) manager.store.mails.add({ ...mail, entryPoint }, 1)
  const browser = await manager.signedIn('reader', only)
  await browser.get(ONE)
  const { text, headers } = await browser.post(`${ONE}/export`)
  expect(headers.get('Content-Disposition')).toContain('person.json')
  const { log, mails, ...known } = JSON.parse(text)
  expect(known).toMatchObject({
    username: ADA,
    groups: ['staff'],
    attributes: { department: 'Research' },
    sessions: [],
  })
  expect(log.map((one: { entryPoint: string }) => one.entryPoint)).toEqual(seen)
  expect(mails.map((one: { entryPoint: string }) => one.entryPoint)).toEqual(seen)
  expect(text.includes('silver')).toBe(seen.includes('silver'))
  expect(manager.acts().at(-1)).toMatchObject({ outcome: 'viewer-exported', viewer: ADA })
  expect((await browser.post('/people/one/bob/export')).status).toBe(only === null ? 200 : 404)
})

test('after a clean stop, no file has a byte of a forgotten person but the log of acts', async () => {
  const { manager, browser } = await withAda()
  await browser.get(ONE)
  await browser.act(`${ONE}/forget`)
  // The notice of the act was in the file of managers.
  await manager.users.close()
  using store = new DatabaseSync(join(manager.folder, 'manager.db'))
  store.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(filesWith(manager.folder, ADA)).toEqual(['manager.log'])
  expect(filesWith(manager.folder, 'Research')).toEqual([])
})

test('the page says what is lost before a person is removed or forgotten', async () => {
  const { manager, browser } = await withAda()
  const forms = (text: string) => [...text.matchAll(/<form method="post" action="[^"]+\/(remove|forget)"/g)].length
  const { text } = await browser.get(ONE)
  expect([forms(text), text.includes(`href="${ONE}/remove"`)]).toEqual([0, true])
  const asked = await browser.get(`${ONE}/remove`)
  expect(forms(asked.text)).toBe(2)
  expect(asked.text).toContain('with its password, groups and details')
  expect((await manager.users.show(ADA)).ok).toBe(true)
})

test('a person is forgotten, except the counts in the memory of the login app, and the page says so', async () => {
  const manager = await startManager({ env: { LIMITS_STORE_URL: 'memory:' } })
  await manager.users.add({ username: ADA, groups: [], attributes: {} }, null)
  const browser = await manager.signedIn()
  await browser.get(ONE)
  const { text } = await browser.act(`${ONE}/forget`)
  expect(text).toContain('is removed, but not everything is forgotten. The counts of failed logins are not deleted')
  expect(text).not.toContain('The sessions have not ended')
  expect((await manager.users.show(ADA)).ok).toBe(false)
})

test('many people are changed only if the list is still as it was shown', async () => {
  const { manager, browser } = await withAda()
  for (const name of ['bob', 'eve'])
    await manager.users.add({ username: name, groups: ['press'], attributes: {} }, null)
  const { text } = await browser.get('/people/many?work=disable&all=on&group=press')
  expect(text).toContain('2 people will not be able to log in')
  await manager.users.add({ username: 'zoe', groups: ['press'], attributes: {} }, null)
  const fields = { work: 'disable', all: 'on', group: 'press', count: '2' }
  expect((await browser.act('/people/many', fields)).text).toContain('The list has changed')
  expect(await manager.users.show('bob')).toMatchObject({ viewer: { disabled: false } })
  expect((await browser.act('/people/many', { ...fields, count: '3' })).text).toContain('3 people are blocked')
  expect(await manager.users.show('zoe')).toMatchObject({ viewer: { disabled: true } })
  expect(await manager.users.show(ADA)).toMatchObject({ viewer: { disabled: false } })
})

test('the list has pages, and filters by name, group and state', async () => {
  const { manager, browser } = await withAda()
  for (let index = 100; index < 160; index += 1) {
    await manager.users.add(
      { username: `viewer${index}`, groups: index % 2 === 0 ? ['even'] : [], attributes: {} },
      null,
    )
  }
  const first = await browser.get('/people')
  expect(first.text).toContain('61 in all')
  const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first.text) ?? []
  expect((await browser.get(next.replaceAll('&amp;', '&'))).text).toContain('viewer159')
  expect((await browser.get('/people?group=even')).text).toContain('30 in all')
  expect((await browser.get('/people?text=VIEWER15')).text).toContain('10 in all')
  await manager.users.setDisabled('viewer100', true)
  expect((await browser.get('/people?state=disabled')).text).toContain('1 in all')
  expect((await browser.get('/people?state=active')).text).toContain('0 in all')
})

test.each([
  ['a letter too many', 'addda@example.com', ['ada@example.com']],
  ['a letter too few', 'zo@example.com', ['zoe@example.com']],
  ['another letter at the beginning', 'eda@example.com', ['ada@example.com']],
  ['an error in the domain', 'ada@exmaple.com', ['ada@example.com']],
  ['another name', 'somebody@else.example', []],
])('a name with a typing error leads to the names that it may mean: %s', async (_what, typed, expected) => {
  const { manager, browser } = await withAda()
  await manager.users.add({ username: 'zoe@example.com', groups: [], attributes: {} }, null)
  const { location } = await browser.get(`/people/find?name=${encodeURIComponent(typed)}`)
  const { text } = await browser.get(location ?? '')
  const shown = [...text.matchAll(/<li><a href="\/people\/one\/[^"]+">([^<]+)</g)].map(([, name]) => name)
  expect(shown).toEqual(expected)
})

test('a person is found by a real name', async () => {
  const { manager, browser } = await withAda()
  await manager.users.add({ username: 'x17', groups: [], attributes: { name: 'Zoë Ångström' } }, null)
  const { text } = await browser.get(`/people?text=${encodeURIComponent('ångst')}`)
  expect(text).toContain('/people/one/x17')
  expect(text).not.toContain(ONE)
})
