import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readGuestFile } from '../../src/features/mail-sign-in/guest-file.ts'
import { openRecordFile } from '../../src/files/record-file.ts'
import { readViewers } from '../../src/tools/cli/drill/drill-viewers.ts'
import { viewerRows } from '../../src/tools/cli/import/viewer-file.ts'
import { filePeople } from '../../src/tools/cli/report/attendance/invited/file-people.ts'
import { readHolders } from '../../src/tools/features/access-codes/holders-file.ts'
import { openSheet } from '../../src/tools/manager/people/sheet/read-sheet.ts'
import { decodeSheet } from '../../src/tools/manager/people/sheet/sheet-text.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

/** The same two people, as programs and people write them. */
const SHAPES: readonly (readonly [string, string | Buffer])[] = [
  ['commas', 'username,password\nada@example.com,Kestrel harbour 9\nzoe@example.com,Lantern meadow 7\n'],
  [
    'semicolons and Windows',
    'E-Mail;Passwort\r\nada@example.com;Kestrel harbour 9\r\nzoe@example.com;Lantern meadow 7\r\n',
  ],
  [
    'tabs in UTF-16',
    utf16('Mail\tKennwort\r\nada@example.com\tKestrel harbour 9\r\nzoe@example.com\tLantern meadow 7\r\n'),
  ],
  ['other order', 'Password;E-Mail-Adresse\nKestrel harbour 9;ada@example.com\nLantern meadow 7;zoe@example.com\n'],
  ['sep=', 'sep=;\nUser name;Password\nada@example.com;Kestrel harbour 9\nzoe@example.com;Lantern meadow 7\n'],
  ['a mark', '\ufeffEmail Address,PASSWORD\nada@example.com,Kestrel harbour 9\nzoe@example.com,Lantern meadow 7\n'],
  [
    'blanks',
    'Benutzername;Password;;\n;;;\nada@example.com;Kestrel harbour 9;;\n\n;;;\nzoe@example.com;Lantern meadow 7;;\n;;;\n',
  ],
  [
    'quotes',
    '"Email-address","password"\n"ada@example.com","Kestrel harbour 9"\n"zoe@example.com","Lantern meadow 7"\n',
  ],
  [
    'pastes',
    'Adresse;Password\n\u200bmailto:ada@example.com;Kestrel harbour 9\nZoe <zoe@example.com>,;Lantern meadow 7\n',
  ],
]

type Reader = (path: string, content: Buffer) => Promise<readonly string[]>

const READERS: Readonly<Record<string, Reader>> = {
  async viewers(path) {
    const options = { columnOfField: new Map(), ignored: new Set<string>(), needsPassword: true, featureColumns: [] }
    const names: string[] = []
    for await (const rows of viewerRows(await openRecordFile(path), options)) {
      for (const one of rows) names.push(one.ok ? `${one.row.username} ${one.row.password}` : one.fault.text)
    }
    expect(names.map((one) => one.slice(16))).toEqual(['Kestrel harbour 9', 'Lantern meadow 7'])
    return names.map((one) => one.slice(0, 15))
  },
  async guests(_path, content) {
    return [...(await readGuestFile(content)).guests.keys()]
  },
  async codes(path) {
    return (await readHolders(path)).map(({ name }) => name ?? '')
  },
  async attendance(path) {
    const people = await filePeople(path, { identifier: undefined, by: undefined, groups: [] })
    return people.map(({ username }) => username)
  },
  async drill(path) {
    return (await readViewers(path, process.stdin)).map(({ username }) => username)
  },
  async sheet(_path, content) {
    const sheet = decodeSheet(content)
    const zone = { name: 'UTC', toZonedTime: expect.unreachable } as never
    const { rows } = await openSheet(sheet.ok ? sheet.text : '', {
      dayFirst: true,
      invites: false,
      zone,
      viewerFacts: [],
    })
    const names: string[] = []
    for await (const batch of rows) for (const one of batch) names.push(one.ok ? one.row.username : one.fault.text)
    return names
  },
}

describe.each(Object.entries(READERS))('the list of %s', (_list, read) => {
  test.each(SHAPES)('with %s has both people', async (_shape, text) => {
    const path = join(temporaryFolder(), 'list.csv')
    const content = Buffer.from(text)
    writeFileSync(path, content)
    expect(await read(path, content)).toEqual(['ada@example.com', 'zoe@example.com'])
  })
})
