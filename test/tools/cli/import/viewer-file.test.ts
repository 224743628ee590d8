import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '../../../../src/errors.ts'
import { openRecordFile } from '../../../../src/files/record-file.ts'
import { type ColumnOptions, type FileRow, viewerRows } from '../../../../src/tools/cli/import/viewer-file.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

const plain: ColumnOptions = { columnOfField: new Map(), ignored: new Set(), needsPassword: true, featureColumns: [] }

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

/** Returns the line of each row with the row or its fault. */
async function read(content: string | Uint8Array, options: Partial<ColumnOptions> = {}): Promise<[number, unknown][]> {
  const rows = await readFile(content, options)
  return rows.map((row) => [row.line, row.ok ? row.row : row.fault.text])
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
    'CSV with Windows line ends',
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

test('a password keeps its spaces and quotation marks', async () => {
  expect(await read('username,password\nada,"  say ""hi"" "\n')).toMatchObject([[2, { password: '  say "hi" ' }]])
})

test('a value in quotation marks may begin and end with a quotation mark', async () => {
  const content = 'username,password,name\r\nada,x,"""Countess"" Ada"\r\neve,x,"""Eve"""\r\n'
  expect(await read(content)).toMatchObject([
    [2, { attributes: { name: '"Countess" Ada' } }],
    [3, { attributes: { name: '"Eve"' } }],
  ])
})

test('a password hash loses the spaces around it', async () => {
  expect(await read('username,password_hash\nada, $2b$10$x \n')).toMatchObject([[2, { passwordHash: '$2b$10$x' }]])
})

test('a field can be read from a column of another name, and other columns can be ignored', async () => {
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

test('JSON numbers and booleans become attributes as text', async () => {
  const [[, row] = []] = await read('{"username":"ada","password":"x","level":3,"insured":true}')
  expect(row).toHaveProperty('attributes', { level: '3', insured: 'true' })
})

test('attributes in one object keep empty values and may have names of columns', async () => {
  const attributes = { groups: 'a', disabled: 'x', empty: '' }
  const [[, row] = []] = await read(JSON.stringify({ username: 'ada', password: 'x', level: 3, attributes }))
  expect(row).toMatchObject({ groups: undefined, disabled: undefined, attributes: { level: '3', ...attributes } })
  const options = { ignored: new Set(['attributes']) }
  const [[, other] = []] = await read(JSON.stringify({ username: 'ada', password: 'x', attributes }), options)
  expect(other).toHaveProperty('attributes', {})
})

test.each([
  ['text', '"a"', { attributes: { attributes: 'a' } }],
  ['null', 'null', { attributes: { attributes: null } }],
  ['an object with a number', '{"level":3}', 'has "attributes" that is not an object of texts'],
  ['a list', '["a"]', 'has "attributes" that is not an object of texts'],
])('an attribute "attributes" that is %s is read as before or refused', async (_what, value, expected) => {
  const [[, row] = []] = await read(`{"username":"ada","password":"x","attributes":${value}}`)
  if (typeof expected === 'string') expect(row).toBe(expected)
  else expect(row).toMatchObject(expected)
})

test('a field without a column is undefined', async () => {
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

test('an invalid row is refused with its line and reason, and the other rows are read', async () => {
  const content =
    'username,password,disabled\nada,x,\nbob,x\neve,"x"y,\n"zoe"x,x,\n' + 'pat,p"ss,\nlinus,x,maybe\nmallory,x,true\n'
  const rows = await read(content)
  expect(
    rows.map(([line, row]) => [line, typeof row === 'string' ? row : (row as { username: string }).username]),
  ).toEqual([
    [2, 'ada'],
    [3, 'has 2 cells where the header has 3'],
    [4, 'has a cell whose quotation marks do not match'],
    [5, 'has a cell whose quotation marks do not match'],
    [6, 'pat'],
    [7, 'has "disabled" that is not true or false'],
    [8, 'mallory'],
  ])
})

test('a quotation mark that swallows the next row stops the import, so that no row vanishes', async () => {
  for (const rows of ['eve,"x\n"grace,x,\n', 'eve,"x\ngrace,x,\nzoe,x","\n']) {
    await expect(read(`username,password,disabled\nada,x,\n${rows}bob,x,\n`)).rejects.toThrow(
      /^Line 3 of .* never closed/,
    )
  }
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
])('the JSON line %s is refused because it %s', async (line, fault) => {
  expect((await read(`{"username":"first","password":"x"}\n${line}\n`))[1]).toEqual([2, fault])
})

test('a row with bytes that are not UTF-8 is refused, and the other rows are read', async () => {
  const content = Buffer.concat([
    Buffer.from('username,password\nada,x\n'),
    Buffer.from([0x6a, 0xf6, 0x72, 0x67]),
    Buffer.from(',x\ngrace,x\n'),
  ])
  expect(await read(content)).toMatchObject([
    [2, { username: 'ada' }],
    [3, expect.stringContaining('not UTF-8: in Excel')],
    [4, { username: 'grace' }],
  ])
})

test.each([
  ['', /empty.*first line of a CSV file/],
  ['city,password\n', /"username".*--column username=.*"city", "password"/],
  ['username,city\n', /"password" nor "password_hash".*--column password_hash=.*"username", "city"/],
  ['username,password,city,city\n', /two columns "city"/],
  ['username,,password\n', /column "".*empty.*--ignore/],
  ['username,password,__proto__\n', /column "__proto__".*reserved.*--ignore/],
])('the header %j is refused before any row', async (content, message) => {
  const refusal = await readFile(content).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ConfigError)
  expect(refusal).toHaveProperty('message', expect.stringMatching(message))
})

test.each([
  ['ada@example.com,herons fly', {}],
  ['ada,herons', {}],
  ['ada,herons,herons', {}],
  ['username2,Tr0ub4dor&3', {}],
  ['email;herons$9', { columnOfField: new Map([['username', 'b']]) }],
])('the first line %j may be a person, so no message shows it', async (line, options) => {
  const refusal: unknown = await readFile(`${line}\n`, options).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ConfigError)
  expect(refusal).not.toHaveProperty('message', expect.stringMatching(/herons|Tr0u|ada/))
})

test('an option that names a missing column is refused', async () => {
  await expect(readFile('a,password\n', { columnOfField: new Map([['username', 'b']]) })).rejects.toThrow(
    new ConfigError('The file has no column "b" for username. It has: "a", "password".'),
  )
})

test('a hash and its salt become one text', async () => {
  const content = 'username,password_hash,password_salt\nada,H1,S1\ngrace,H2,\nlinus,other,S3\n'
  const saltedHash = (hash: string, salt: string) => (hash === 'other' ? null : `${hash}+${salt}`)
  expect(await read(content, { saltedHash })).toMatchObject([
    [2, { passwordHash: 'H1+S1', attributes: {} }],
    [3, { passwordHash: 'H2' }],
    [4, { passwordHash: 'other' }],
  ])
})

test('a salt that no option uses is refused, and ignored on demand', async () => {
  const content = 'username,password_hash,password_salt\nada,H1,S1\n'
  expect(await read(content)).toEqual([[2, expect.stringContaining('a password salt')]])
  expect(await read(content, { ignored: new Set(['password_salt']) })).toMatchObject([
    [2, { passwordHash: 'H1', attributes: {} }],
  ])
})
