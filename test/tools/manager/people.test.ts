import { expect, test } from 'vitest'
import { startManager } from './start-manager.ts'

const ADA = 'ada@example.com'
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
  expect((await browser.act('/people/add', fields)).text).toContain('already exists')
})

test('two managers who change a person at once do not overwrite each other', async () => {
  const { manager, browser } = await withAda()
  const other = await manager.signedIn('event-manager', null, 'joe@example.com')
  const version = (text: string) => /name="version" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const [mine, theirs] = [version((await browser.get(ONE)).text), version((await other.get(ONE)).text)]
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
  expect(text).toContain('is disabled and signed out')
  const [, undo = ''] = /<form method="post" action="([^"]+enable)"/.exec(text) ?? []
  await browser.act(undo)
  expect(await manager.users.show(ADA)).toMatchObject({ viewer: { disabled: false } })
})

test('the page says why a person cannot sign in, and what helps', async () => {
  const { manager, browser } = await withAda()
  expect((await browser.get(ONE)).text).toContain('There is neither a password nor an invitation.')
  await manager.users.setDisabled(ADA, true)
  const { text } = await browser.get(ONE)
  expect(text).toContain('The account is disabled.')
  expect(text).toContain(`${ONE}/enable`)
})

test('a person is forgotten: the account, the sessions and the counts', async () => {
  const { manager, browser } = await withAda()
  await browser.get(ONE)
  expect((await browser.act(`${ONE}/forget`)).text).toContain('is forgotten')
  expect((await manager.users.show(ADA)).ok).toBe(false)
  expect(manager.acts().at(-1)).toMatchObject({ outcome: 'viewer-forgotten', viewer: ADA })
})

test('many people are changed only if the list is still as it was shown', async () => {
  const { manager, browser } = await withAda()
  for (const name of ['bob', 'eve'])
    await manager.users.add({ username: name, groups: ['press'], attributes: {} }, null)
  const { text } = await browser.get('/people/many?work=disable&all=on&group=press')
  expect(text).toContain('2 people will not be able to sign in')
  await manager.users.add({ username: 'zoe', groups: ['press'], attributes: {} }, null)
  const fields = { work: 'disable', all: 'on', group: 'press', count: '2' }
  expect((await browser.act('/people/many', fields)).text).toContain('The list has changed')
  expect(await manager.users.show('bob')).toMatchObject({ viewer: { disabled: false } })
  expect((await browser.act('/people/many', { ...fields, count: '3' })).text).toContain('3 people are disabled')
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
