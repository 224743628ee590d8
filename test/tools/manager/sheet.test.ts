import { expect, test } from 'vitest'
import { isoDate } from '../../../src/tools/manager/pages/iso-date.ts'
import { decodeSheet } from '../../../src/tools/manager/people/sheet/sheet-text.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { startManager } from './start-manager.ts'

const LINES = 'E-Mail;Gruppe;Abteilung\r\nmüller@example.com;press;Künste\r\n'
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const windows1252 = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['UTF-8', Buffer.from(LINES)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${LINES}`)],
  ['UTF-16 of the older "Unicode Text"', utf16(LINES.replaceAll(';', '\t'))],
  ['UTF-16, big end first', utf16(LINES).swap16()],
  ['Windows-1252, the default of Excel', windows1252(LINES)],
  ['a first line sep=', windows1252(`sep=;\r\n${LINES}`)],
  ['empty columns and rows at the end', windows1252(`${LINES.replaceAll('\r\n', ';;\r\n')};;;;\r\n;;;;\r\n`)],
])('a sheet from Excel is read: %s', async (_name, content) => {
  const manager = await startManager()
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const { location } = await browser.upload('/people/import', 'Gäste.csv', new Uint8Array(content), { invite: 'on' })
  const { text } = await browser.get(location ?? '')
  expect(text).toContain('müller@example.com')
  expect(await manager.users.count({ text: '', group: '', state: 'all', oneOf: null })).toBe(0)
  await browser.post('/people/import/confirm')
  expect(await manager.users.show('müller@example.com')).toMatchObject({
    viewer: { groups: ['press'], attributes: { Abteilung: 'Künste' } },
  })
})

test('the preview lists every mistake by its row, and what happens to the others', async () => {
  const manager = await startManager()
  await manager.users.add({ username: 'old@example.com', groups: [], attributes: {} }, null)
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const rows = [
    'Email,Group,until',
    'new@example.com,press,30.11.2026',
    ',press,',
    'a|b@example.com,press,',
    'old@example.com,staff,',
    'x@example.com,staff,31.02.2026',
    'short@example.com,staff',
  ]
  const { location } = await browser.upload('/people/import', 'x.csv', rows.join('\n'), {
    invite: 'on',
    existing: 'update',
  })
  const { text } = await browser.get(location ?? '')
  const mistakes = [...text.matchAll(/<th scope="row" class="count">(\d+)<\/th><td>([^<]+)/g)].map(([, line]) => line)
  expect(mistakes).toEqual(['3', '4', '6', '7'])
  expect(text).toContain('Import 2 people')
  const german = (await browser.get(location ?? '', { 'Accept-Language': 'de' })).text
  expect(german).toContain('<td>2 Zellen, aber die erste Zeile hat 3.</td>')
  expect(german).toContain('<td>Kein Benutzername.</td>')
  expect(german).toContain('<td>Die Zelle in der Spalte „until“ ist nicht lesbar.</td>')
  await browser.post('/people/import/confirm')
  expect(await manager.users.show('old@example.com')).toMatchObject({ viewer: { groups: ['staff'] } })
  const added = await manager.users.show('new@example.com')
  expect(added.ok && added.viewer.attributes.accountEndsAt).toMatch(/^2026-11-30T23:59:59/)
})

test('cells that were copied from Excel are read', async () => {
  const manager = await startManager()
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const { location } = await browser.upload('/people/import', '', '', {
    cells: 'User name\tGroup\nbob\tpress\n',
    invite: 'on',
  })
  expect((await browser.get(location ?? '')).text).toContain('bob')
})

test.each([
  ['a workbook', Buffer.from('PK\u0003\u0004 rest'), 'Excel workbook'],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]), 'not a text file'],
  ['an empty file', Buffer.from(' \n'), 'empty'],
  ['JSON', Buffer.from('{"username":"x"}'), 'not a sheet of cells'],
])('%s is refused with what to do', async (_name, content, sentence) => {
  const manager = await startManager()
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const { status, text } = await browser.upload('/people/import', 'x', new Uint8Array(content))
  expect(status).toBe(400)
  expect(text).toContain(sentence)
})

test('a file of more than eight megabytes, a broken form and a quotation mark that is never closed are refused', async () => {
  const manager = await startManager()
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  expect((await browser.upload('/people/import', 'x', 'a'.repeat(8_100_000))).status).toBe(413)
  const broken = { 'Content-Type': 'multipart/form-data; boundary=x' }
  expect((await browser.post('/people/import', {}, broken)).status).toBe(403)
  await browser.get('/people/import')
  const { location } = await browser.upload('/people/import', 'x', 'Email,Group\n"a,b\nc,d\ne,f\n', { invite: 'on' })
  expect((await browser.get(location ?? '')).status).toBe(400)
  expect(manager.faults).toEqual([])
})

test('an import adds no password hash, and a manager of one entry point no group of another', async () => {
  const manager = await startManager({ entryPoints: [{ ...ENTRY_POINT, name: 'gold', allowedGroups: ['gold'] }] })
  await manager.users.add({ username: 'silver', groups: ['silver'], attributes: {} }, null)
  const browser = await manager.signedIn('event-manager', ['gold'])
  await browser.get('/people/import')
  const rows = 'username,groups,password_hash\na,gold,$argon2id$v=19$m=19456\nb,silver,\nsilver,gold,\n'
  const { location } = await browser.upload('/people/import', 'x', rows, { invite: 'on', existing: 'update' })
  expect((await browser.get(location ?? '')).text).toContain('Import 1 person')
  await browser.post('/people/import/confirm')
  expect(await manager.users.inspect('a')).toMatchObject({ hasPassword: false })
  expect((await manager.users.show('b')).ok).toBe(false)
  expect(await manager.users.show('silver')).toMatchObject({ viewer: { groups: ['silver'] } })
})

test.each([
  ['30.11.2026', '2026-11-30', '2026-11-30'],
  ['1.2.2026 9:05', '2026-02-01T09:05', '2026-02-01T09:05'],
  ['11/12/2026', '2026-12-11', '2026-11-12'],
  ['46356', '2026-11-30', '2026-11-30'],
  ['46356,84375', '2026-11-30T20:15', '2026-11-30T20:15'],
  ['2026-11-30', '2026-11-30', '2026-11-30'],
  ['never', 'never', 'never'],
  ['12345', '12345', '12345'],
])('the date %s is read', (text, dayFirst, monthFirst) => {
  expect(isoDate(text, true)).toBe(dayFirst)
  expect(isoDate(text, false)).toBe(monthFirst)
})

test('bytes that are not UTF-8 are read as Windows-1252', () => {
  expect(decodeSheet(Buffer.from([0x4d, 0xfc, 0x80]))).toEqual({ ok: true, text: 'Mü€' })
})
