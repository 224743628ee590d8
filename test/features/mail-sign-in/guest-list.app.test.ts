import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { openGuestList } from '../../../src/features/mail-sign-in/guest-list.ts'
import { cookieIn } from '../../login/signed-in.ts'
import { SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { codeIn, frameIn, GUEST, startMailApp } from './start-mail-app.ts'

async function listOf(text: string | Buffer, standMs = 60_000) {
  const file = join(temporaryFolder(), 'guests.csv')
  writeFileSync(file, text)
  const faults: string[] = []
  const badRows: string[] = []
  const changes: number[][] = []
  const list = await openGuestList(
    { mode: 'list', guests: [], file },
    {
      onChange: (...counts) => changes.push(counts),
      onFault: (fault) => faults.push(fault),
      onBadRows: (rows) => badRows.push(rows),
      everyMs: 10,
      standMs,
    },
  )
  onTestFinished(list.close)
  const write = (next: string) => {
    writeFileSync(`${file}.new`, next)
    renameSync(`${file}.new`, file)
  }
  return { list, file, faults, badRows, changes, write }
}

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `guest${index}@example.com`)
const asFile = (list: readonly string[]) => `address\n${list.join('\n')}\n`

test.each([
  ['addresses alone', 'ada@example.com\nGUEST@Example.com\n'],
  ['a header line', 'email\nguest@example.com\n'],
  ['a mark of the encoding, semicolons and quotes', '\ufeffaddress;name\r\n"guest@example.com";"A; B"\r\n'],
  ['a domain', '*@example.com\n'],
  ['the address in another column', 'Name;E-Mail-Adresse;;\nAda;GUEST@example.com;;\n;;;\n'],
  ['a title in other letters', 'Vorname\tEmail Address\r\nAda\tguest@example.com\r\n'],
  ['UTF-16', Buffer.from('\ufeffMail\tName\r\nguest@example.com\tZo\u00eb\r\n', 'utf16le')],
  ['the separator of Excel', 'sep=;\nMail;Name\nguest@example.com;"A, B"\n'],
  ['pasted addresses', 'mailto:ada@example.com\nZoe <guest@example.com>;\n\u200b<eve@example.com>,\n'],
  ['an export of ours', "address,state,phone\nguest@example.com,approved,'+49 30 1\n"],
])('a file with %s lets the guest in', async (_case, text) => {
  const { list } = await listOf(text)
  expect(list.find(GUEST)).not.toBeNull()
  expect(list.find('guest@other.example')).toBeNull()
  expect(list.find('guest@sub.example.com')).toBeNull()
})

test('columns are groups and attributes, and an address comes before its domain', async () => {
  const { list } = await listOf(
    'address,groups,company\n*@example.com,all,\nguest@example.com,press; staff,Example Ltd\n',
  )
  expect(list.find(GUEST)).toEqual({ groups: ['press', 'staff'], attributes: { company: 'Example Ltd' } })
  expect(list.find('ada@example.com')).toEqual({ groups: ['all'], attributes: {} })
})

test('a bad row is left out and named, without its content', async () => {
  const { list, badRows } = await listOf(
    'address;name\nguest@example.com;A\nsecret;B\neve@example.com;C;D\nada@example.com;"E\u0007"\n',
  )
  expect(list.find(GUEST)).toEqual({ groups: [], attributes: { name: 'A' } })
  expect([list.size(), badRows.length]).toEqual([1, 1])
  expect(badRows[0]).toMatch(/line 3 has no address; line 4 has more cells.*; line 5 has a value that contains/)
  expect(badRows[0]).not.toMatch(/secret|eve@/)
})

test.each<[string, (file: string, all: string) => Promise<void> | void]>([
  ['is empty', (file) => writeFileSync(file, '')],
  ['is half written', (file, all) => writeFileSync(file, all.slice(0, all.length / 3))],
  ['has its first line alone', (file) => writeFileSync(file, 'address\n')],
  ['is gone', (file) => rmSync(file)],
  [
    'grows slowly',
    async (file, all) => {
      writeFileSync(file, 'address\n')
      for (const part of all.split('\n').slice(1, 40)) {
        appendFileSync(file, `${part}\n`)
        await sleep(8)
      }
    },
  ],
])('while a file %s, all guests stay, and the log says so', async (_what, damage) => {
  const all = addresses(100)
  const { list, file, faults, changes, write } = await listOf(asFile(all))
  await damage(file, asFile(all))
  await expect.poll(() => faults.length).toBeGreaterThan(0)
  await sleep(100)
  expect([list.size(), changes, faults.length]).toEqual([100, [], 1])
  write(asFile([...all, GUEST]))
  await expect.poll(() => changes).toEqual([[101, 1, 0]])
})

test('a list that has lost more than half counts when it has stood, and the log says how many went', async () => {
  const { list, faults, changes, write } = await listOf(asFile(addresses(10)), 300)
  write(asFile(addresses(4)))
  await expect.poll(() => faults).toEqual([expect.stringContaining('has lost 6 of 10 items')])
  expect(list.size()).toBe(10)
  await expect.poll(() => changes).toEqual([[4, 0, 6]])
})

test('a change of the file counts, and a mistake changes nothing', async () => {
  const { list, file, faults, changes, write } = await listOf('guest@example.com\nada@example.com\n')
  write('ada@example.com\n')
  await expect.poll(() => changes).toHaveLength(1)
  expect([list.find(GUEST), changes]).toEqual([null, [[1, 0, 1]]])
  write('no address\n')
  await expect.poll(() => faults).toHaveLength(1)
  rmSync(file)
  await expect.poll(() => faults).toHaveLength(2)
  expect(list.find('ada@example.com')).not.toBeNull()
})

test.each([
  ['no file', null, 'ENOENT'],
  ['no column of addresses', 'name,seat\nAda,1\n', 'must have a column "address"'],
  ['a reserved column', 'address,username\nada@example.com,eve\n', 'reserved'],
  ['a column twice', 'address,a,a\nada@example.com,1,2\n', 'two columns'],
  ['no usable row', 'address\nada@example.com,eve@example.com\n', 'line 2 has more cells than columns'],
  ['nothing in it', '', 'is empty'],
])('%s stops the start with a sentence', async (_case, text, message) => {
  const file = join(temporaryFolder(), 'guests.csv')
  if (text !== null) writeFileSync(file, text)
  const deps = { onChange: () => {}, onFault: () => {} }
  await expect(openGuestList({ mode: 'list', guests: [], file }, deps)).rejects.toThrow(message)
})

test('a file that is not UTF-8 stops the start, so that no name loses its letters', async () => {
  const file = join(temporaryFolder(), 'guests.csv')
  writeFileSync(file, 'address;name\r\nada@example.com;J\u00f6rg\r\n', 'latin1')
  const deps = { onChange: () => {}, onFault: () => {} }
  await expect(openGuestList({ mode: 'list', guests: [], file }, deps)).rejects.toThrow('CSV UTF-8')
})

test('a guest who is taken off the list is refused at the next return, and with the code of before', async () => {
  const file = join(temporaryFolder(), 'guests.csv')
  writeFileSync(file, `address,groups\n${GUEST},gold\nother@example.com,\n`)
  const app = await startMailApp({ settings: { mode: 'list', guests: [], file } })
  const frame = frameIn(await app.ask(GUEST))
  const [mail] = await app.mail.received(1)
  const signedIn = await app.check(GUEST, frame, codeIn(mail ?? expect.unreachable()))
  const Cookie = cookieIn(signedIn)
  const second = frameIn(await app.ask(GUEST))
  const [, secondMail] = await app.mail.received(2)
  expect((await app.get('/', { Cookie })).status).toBe(303)
  writeFileSync(file, 'other@example.com\n')
  await expect.poll(() => app.lines.some(({ event }) => event === 'mail-guests')).toBe(true)
  expect((await app.get('/', { Cookie })).text).toContain('not on the guest list')
  const late = await app.check(GUEST, second, codeIn(secondMail ?? expect.unreachable()))
  expect([late.status, late.location]).toEqual([403, undefined])
})

test('a guest with other groups than at the sign-in signs in again', async () => {
  const file = join(temporaryFolder(), 'guests.csv')
  writeFileSync(file, `address,groups\n${GUEST},gold\n`)
  const app = await startMailApp({ settings: { mode: 'list', guests: [], file } })
  const frame = frameIn(await app.ask(GUEST))
  const [mail] = await app.mail.received(1)
  const Cookie = cookieIn(await app.check(GUEST, frame, codeIn(mail ?? expect.unreachable())))
  writeFileSync(file, `address,groups\n${GUEST},silver\n`)
  await expect.poll(() => app.lines.some(({ event }) => event === 'mail-guests')).toBe(true)
  expect((await app.get('/', { Cookie })).status).toBe(200)
})

test.each([
  [{ MAIL_SIGN_IN: 'list' }, 'MAIL_GUESTS is required with list, or MAIL_GUESTS_FILE'],
  [{ MAIL_SIGN_IN: 'domains', MAIL_GUESTS: 'ada@example.com' }, 'must name domains only'],
  [{ MAIL_SIGN_IN: 'list', MAIL_GUESTS: '*@*.example.com' }, 'item 1 must be an address'],
  [{ PASSWORD_FORM: 'off' }, 'leaves viewers without a way to sign in'],
])('the settings %j are refused', (settings, message) => {
  expect(() => readConfig({ ...SETTINGS, ...settings })).toThrow(message)
})

test('guests alone need no password form', () => {
  const config = readConfig({
    ...SETTINGS,
    MAIL_SIGN_IN: 'domains',
    MAIL_GUESTS: '*@example.com',
    PASSWORD_FORM: 'off',
  })
  expect(config.entryPoints.map(({ hasPasswordForm }) => hasPasswordForm)).toEqual([false])
})
