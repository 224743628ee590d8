import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { openRecordFile } from '../../../src/users/import/record-file.ts'
import { type ColumnOptions, type FileRow, viewerRows } from '../../../src/users/import/viewer-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const plain: ColumnOptions = { columnOfField: new Map(), ignored: new Set(), needsPassword: true }

async function readFile(content: string | Uint8Array, options: Partial<ColumnOptions> = {}): Promise<FileRow[]> {
  const path = join(temporaryFolder(), 'viewers')
  writeFileSync(path, content)
  const file = await openRecordFile(path)
  const found: FileRow[] = []
  try {
    for await (const rows of viewerRows(file, { ...plain, ...options })) found.push(...rows)
    return found
  } finally {
    file.close()
  }
}

/** Each row with its line, or the fault with its line. */
async function read(content: string | Uint8Array, options: Partial<ColumnOptions> = {}): Promise<[number, unknown][]> {
  const rows = await readFile(content, options)
  return rows.map((row) => [row.line, row.ok ? row.row : row.fault])
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
])('a viewer is read from %s', async (_what, content) => {
  expect(await read(content)).toEqual([[2, ada]])
})

test.each([
  [
    '{"username":"ada","password":"correct horse","groups":["staff","press"],"disabled":false,"department":"R&D","phone":null}',
  ],
  ['{"username":"ada","password":"correct horse","groups":"staff;press","disabled":"0","department":"R&D","phone":""}'],
])('a viewer is read from JSON Lines: %s', async (line) => {
  expect(await read(`\n${line}\r\n\n`)).toEqual([[2, ada]])
})

test('a password is taken exactly, spaces and quotation marks included', async () => {
  expect(await read('username,password\nada,"  say ""hi"" "\n')).toMatchObject([[2, { password: '  say "hi" ' }]])
})

test('a password hash is taken without the spaces around it', async () => {
  expect(await read('username,password_hash\nada, $2b$10$x \n')).toMatchObject([[2, { passwordHash: '$2b$10$x' }]])
})

test('columns of other names are taken for the fields, and others left out', async () => {
  const content = 'ID,user_email,user_pass,city\n7,ada@example.com,$P$x,London\n'
  const options = {
    columnOfField: new Map([['username', 'user_email'] as const, ['password_hash', 'user_pass'] as const]),
    ignored: new Set(['ID']),
  }
  expect(await read(content, options)).toMatchObject([
    [2, { username: 'ada@example.com', passwordHash: '$P$x', attributes: { city: 'London' } }],
  ])
  expect((await read(content, options))[0]?.[1]).toHaveProperty('attributes', { city: 'London' })
})

test('numbers and truth values of JSON become texts of attributes', async () => {
  const [[, row] = []] = await read('{"username":"ada","password":"x","level":3,"insured":true}')
  expect(row).toHaveProperty('attributes', { level: '3', insured: 'true' })
})

test('what a file does not speak of is undefined', async () => {
  expect(await read('username\nada\n', { needsPassword: false })).toEqual([
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

test('each bad row is refused by its line and reason, and the rows around it are read', async () => {
  const content =
    'username,password,disabled\nada,x,\nbob,x\neve,"x\n"grace,x,\n"zoe"x,x,\npat,p"ss,\nlinus,x,maybe\nmallory,x,true\n'
  const rows = await read(content)
  expect(
    rows.map(([line, row]) => [line, typeof row === 'string' ? row : (row as { username: string }).username]),
  ).toEqual([
    [2, 'ada'],
    [3, 'has 2 cells where the header has 3'],
    [4, 'has a cell whose quotation marks do not match'],
    [6, 'has a cell whose quotation marks do not match'],
    [7, 'pat'],
    [8, 'has "disabled" that is not true or false'],
    [9, 'mallory'],
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
])('the JSON line %s is refused: %s', async (line, fault) => {
  expect((await read(`{"username":"first","password":"x"}\n${line}\n`))[1]).toEqual([2, fault])
})

test('a row with bytes that are not UTF-8 is refused, the others are read', async () => {
  const content = Buffer.concat([
    Buffer.from('username,password\nada,x\n'),
    Buffer.from([0x6a, 0xf6, 0x72, 0x67]),
    Buffer.from(',x\ngrace,x\n'),
  ])
  expect(await read(content)).toMatchObject([
    [2, { username: 'ada' }],
    [3, 'contains bytes that are not UTF-8'],
    [4, { username: 'grace' }],
  ])
})

test.each([
  ['', 'The file is empty. The first line of a CSV file names its columns.'],
  [
    'email,password\n',
    'The file has no column "username". Name the column with user names, as in --column username=email. It has: "email", "password".',
  ],
  [
    'username,city\n',
    'The file has neither a column "password" nor "password_hash". Name one, as in --column password_hash=user_pass. It has: "username", "city".',
  ],
  ['username,password,city,city\n', 'The file has two columns "city".'],
  [
    'username,password,\n',
    'The column "" cannot be an attribute, since its name is empty. Leave it out with --ignore.',
  ],
  [
    'username,password,__proto__\n',
    'The column "__proto__" cannot be an attribute, since its name is reserved. Leave it out with --ignore.',
  ],
])('the header %j is refused before any row', async (content, message) => {
  await expect(readFile(`${content}`)).rejects.toThrow(new ConfigError(message))
})

test('a column that was named but is not there is refused', async () => {
  await expect(readFile('a,password\n', { columnOfField: new Map([['username', 'b']]) })).rejects.toThrow(
    new ConfigError('The file has no column "b" for username. It has: "a", "password".'),
  )
})
