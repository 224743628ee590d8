import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { openTextFile } from '../../../src/users/import/text-lines.ts'
import { type ColumnOptions, type FileRow, viewerRows } from '../../../src/users/import/viewer-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const plain: ColumnOptions = { columnOfField: new Map(), ignored: new Set(), needsPassword: true }

function readFile(content: string | Uint8Array, options: Partial<ColumnOptions> = {}): FileRow[] {
  const path = join(temporaryFolder(), 'viewers')
  writeFileSync(path, content)
  const file = openTextFile(path)
  try {
    return [...viewerRows(file.lines, { ...plain, ...options })]
  } finally {
    file.close()
  }
}

/** Each row with its line, or the fault with its line. */
function read(content: string | Uint8Array, options: Partial<ColumnOptions> = {}): [number, unknown][] {
  return readFile(content, options).map((row) => [row.line, row.ok ? row.row : row.fault])
}

const ada = {
  username: 'ada',
  password: 'correct horse',
  passwordHash: undefined,
  groups: ['staff', 'press'],
  disabled: false,
  attributes: { department: 'R&D', phone: null },
}

test.each([
  ['CSV', 'username,password,groups,disabled,department,phone\nada,correct horse,"staff, press",no,R&D,\n'],
  [
    'CSV of Windows',
    'username,password,groups,disabled,department,phone\r\nada,correct horse,"staff, press",no,R&D,\r\n',
  ],
  [
    'CSV with a byte order mark',
    '\uFEFFusername,password,groups,disabled,department,phone\nada,correct horse,"staff,press",,R&D,',
  ],
  [
    'CSV with semicolons',
    'username;password;groups;disabled;department;phone\n ada ;correct horse;staff,press;FALSE;R&D;',
  ],
])('a viewer is read from %s', (_what, content) => {
  expect(read(content)).toEqual([[2, ada]])
})

test.each([
  [
    '{"username":"ada","password":"correct horse","groups":["staff","press"],"disabled":false,"department":"R&D","phone":null}',
  ],
  ['{"username":"ada","password":"correct horse","groups":"staff;press","disabled":"0","department":"R&D","phone":""}'],
])('a viewer is read from JSON Lines: %s', (line) => {
  expect(read(`\n${line}\r\n\n`)).toEqual([[2, ada]])
})

test('a password is taken exactly, spaces and quotation marks included', () => {
  expect(read('username,password\nada,"  say ""hi"" "\n')).toMatchObject([[2, { password: '  say "hi" ' }]])
})

test('a password hash is taken without the spaces around it', () => {
  expect(read('username,password_hash\nada, $2b$10$x \n')).toMatchObject([[2, { passwordHash: '$2b$10$x' }]])
})

test('columns of other names are taken for the fields, and others left out', () => {
  const content = 'ID,user_email,user_pass,city\n7,ada@example.com,$P$x,London\n'
  const options = {
    columnOfField: new Map([['username', 'user_email'] as const, ['password_hash', 'user_pass'] as const]),
    ignored: new Set(['ID']),
  }
  expect(read(content, options)).toMatchObject([
    [2, { username: 'ada@example.com', passwordHash: '$P$x', attributes: { city: 'London' } }],
  ])
  expect(read(content, options)[0]?.[1]).toHaveProperty('attributes', { city: 'London' })
})

test('numbers and truth values of JSON become texts of attributes', () => {
  const [[, row] = []] = read('{"username":"ada","password":"x","level":3,"insured":true}')
  expect(row).toHaveProperty('attributes', { level: '3', insured: 'true' })
})

test('what a file does not speak of is undefined', () => {
  expect(read('username\nada\n', { needsPassword: false })).toEqual([
    [
      2,
      {
        username: 'ada',
        password: undefined,
        passwordHash: undefined,
        groups: undefined,
        disabled: undefined,
        attributes: {},
      },
    ],
  ])
})

test('each bad row is told by its line and reason, and the rows around it are read', () => {
  expect(
    read('username,password,disabled\nada,x,\nbob,x\neve,"x\n"grace,x,\nlinus,x,maybe\nmallory,x,true\n').map(
      ([line, row]) => [line, typeof row === 'string' ? row : (row as { username: string }).username],
    ),
  ).toEqual([
    [2, 'ada'],
    [3, 'has 2 cells where the header has 3'],
    [4, 'has a quotation mark that is not closed, or stands inside a cell'],
    [5, 'has a quotation mark that is not closed, or stands inside a cell'],
    [6, 'has "disabled" that is not true or false'],
    [7, 'mallory'],
  ])
})

test.each([
  ['{"username":"ada","password":"x"', 'is not JSON'],
  ['["ada","x"]', 'is not a JSON object'],
  ['{"username":7,"password":"x"}', 'has "username" that is not text'],
  ['{"username":"ada","password":["x"]}', 'has "password" that is not text'],
  ['{"username":"ada","password":"x","groups":[1]}', 'has "groups" that is not a list of groups'],
  [
    '{"username":"ada","password":"x","city":{"name":"x"}}',
    'has "city" that is not text, a number, true, false or null',
  ],
])('the JSON line %s is refused: %s', (line, fault) => {
  expect(read(`{"username":"first","password":"x"}\n${line}\n`)[1]).toEqual([2, fault])
})

test('a row with bytes that are not UTF-8 is refused, the others are read', () => {
  const content = Buffer.concat([
    Buffer.from('username,password\nada,x\n'),
    Buffer.from([0x6a, 0xf6, 0x72, 0x67]),
    Buffer.from(',x\ngrace,x\n'),
  ])
  expect(read(content)).toMatchObject([
    [2, { username: 'ada' }],
    [3, 'holds bytes that are not UTF-8'],
    [4, { username: 'grace' }],
  ])
})

test.each([
  ['', 'The file is empty: a CSV file begins with the names of its columns.'],
  [
    'email,password\n',
    'The file has no column "username": name the one that holds it, as in --column username=email. It has: "email", "password".',
  ],
  [
    'username,city\n',
    'The file has neither a column "password" nor "password_hash": name it, as in --column password_hash=user_pass. It has: "username", "city".',
  ],
  ['username,password,city,city\n', 'The file has two columns "city".'],
  [
    'username,password,\n',
    'The column "" cannot be an attribute, since its name is empty: leave it out with --ignore.',
  ],
  [
    'username,password,__proto__\n',
    'The column "__proto__" cannot be an attribute, since its name is reserved: leave it out with --ignore.',
  ],
])('the header %j is refused before any row', (content, message) => {
  expect(() => readFile(`${content}`)).toThrow(new ConfigError(message))
})

test('a column that was named but is not there is refused', () => {
  expect(() => readFile('a,password\n', { columnOfField: new Map([['username', 'b']]) })).toThrow(
    new ConfigError('The file has no column "b" for username. It has: "a", "password".'),
  )
})

test('UTF-16, as spreadsheets call Unicode, is refused with what to do', () => {
  expect(() => readFile(Buffer.from('\uFEFFusername\nada\n', 'utf16le'))).toThrow(/is UTF-16 text: save it as UTF-8\.$/)
})

test('a file without line ends is refused before it fills the memory', () => {
  expect(() => readFile('x'.repeat(3_000_000))).toThrow(
    /^Line 1 of .* is longer than 1 MiB: this is no file of viewers\.$/,
  )
})

test('a file that is not there, and a folder, are refused in a sentence', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'folder'))
  expect(() => openTextFile(join(folder, 'nothing'))).toThrow(
    /^The file .* cannot be read: it is not there \(ENOENT\)\.$/,
  )
  expect(() => [...openTextFile(join(folder, 'folder')).lines]).toThrow(
    /^The file .* cannot be read: it is a folder \(EISDIR\)\.$/,
  )
})

test('lines that end in the middle of what is read at once, and of a character, are whole', () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => `vïewer-${index},pässword`)
  const read = readFile(`username,password\n${rows.join('\n')}`)
  expect(read).toHaveLength(60_000)
  expect(read.every((row, index) => row.ok && row.row.username === `vïewer-${index}` && row.line === index + 2)).toBe(
    true,
  )
})
