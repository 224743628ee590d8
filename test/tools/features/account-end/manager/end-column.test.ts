import { expect, test } from 'vitest'
import { startManager } from '../../../manager/start-manager.ts'

test('the preview shows how each column is understood, and the values that will be stored', async () => {
  const manager = await startManager()
  await manager.users.add({ username: 'old@example.com', groups: ['crew'], attributes: { floor: '2' } }, null)
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const rows = [
    'E-Mail;Gruppe;Gültig bis;Ende am;Gesperrt;password_hash',
    `new@example.com;press, staff;30.11.2026;<b>${'x'.repeat(70)};yes;`,
    'old@example.com;;;31.12.2026;;',
  ]
  const options = { invite: 'on', existing: 'update' }
  const { location } = await browser.upload('/people/import', 'x.csv', rows.join('\n'), options)
  const { text } = await browser.get(location ?? '')
  const columns = [...text.matchAll(/<dt>([^<]+)<\/dt><dd>([^<\d][^<]*)/g)].map(([, title, meaning]) => [
    title,
    meaning,
  ])
  expect(columns).toEqual([
    ['E-Mail', 'the username'],
    ['Gruppe', 'the groups'],
    ['Gültig bis', 'the end of the account'],
    ['Ende am', 'a detail called “Ende am”'],
    ['Gesperrt', 'whether the account is blocked'],
    ['password_hash', 'left out'],
  ])
  const cells = [...text.matchAll(/<th scope="row">(.*?)<\/tr>/g)].map(([, row = '']) => row.split(/(?:<[^>]*>)+/))
  expect(cells).toEqual([
    [
      ...['new@example.com', 'Mon, 30 Nov 2026, 23:59', 'new, blocked', 'press, staff'],
      `Ende am: &lt;b&gt;${'x'.repeat(57)}…`,
      '',
    ],
    ['old@example.com', 'never', 'changed', 'none', 'floor: 2, Ende am: 31.12.2026', ''],
  ])
  expect((await browser.get(location ?? '', { 'Accept-Language': 'de' })).text).toContain(
    'eine Angabe namens „Ende am“',
  )
})
