import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openRecordFile } from '../../src/files/record-file.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

/** Returns the line and the cells of each record. */
async function read(content: string | Uint8Array): Promise<[line: number, cells: readonly string[]][]> {
  const path = join(temporaryFolder(), 'viewers')
  writeFileSync(path, content)
  const file = await openRecordFile(path)
  const found: [number, readonly string[]][] = []
  try {
    if (file.header) found.push([file.header.line, file.header.cells])
    for await (const records of file.records) for (const { line, cells } of records) found.push([line, cells])
    return found
  } finally {
    file.close()
  }
}

test.each([
  ['empty cells', 'a,b,c\n1,,\n,,3', [1, ['a', 'b', 'c']], [2, ['1', '', '']], [3, ['', '', '3']]],
  [
    'blank cells behind the last column',
    'a;b;;\n1;2;;\n3;4\n5;;;6',
    [1, ['a', 'b']],
    [2, ['1', '2']],
    [3, ['3', '4']],
    [4, ['5', '', '', '6']],
  ],
  ['blank rows with delimiters', 'a,b\n,\n1,2\n , \n', [1, ['a', 'b']], [3, ['1', '2']]],
  ['spaces in cells', 'a,b\n 1 , 2', [1, ['a', 'b']], [2, [' 1 ', ' 2']]],
  ['a quoted comma', 'a,b\n"1,1",2', [1, ['a', 'b']], [2, ['1,1', '2']]],
  ['doubled quotation marks', 'a\n"say ""hi"""\n""', [1, ['a']], [2, ['say "hi"']]],
  ['a quotation mark inside a cell', 'a,b\n1"1,2"\n', [1, ['a', 'b']], [2, ['1"1', '2"']]],
  ['quoted line ends', 'a,b\n"1\n\n1",2\n3,4', [1, ['a', 'b']], [2, ['1\n\n1', '2']], [5, ['3', '4']]],
  ['Windows line ends', 'a,b\r\n"1\r\n1",2\r\n3,4', [1, ['a', 'b']], [2, ['1\r\n1', '2']], [4, ['3', '4']]],
  ['both kinds of line ends', 'a,b\n1,"2"\r\n3,4\n', [1, ['a', 'b']], [2, ['1', '2']], [3, ['3', '4']]],
  ['blank lines', '\na\n \n1\n\n', [2, ['a']], [4, ['1']]],
  ['a byte order mark', '\uFEFF"a",b\n', [1, ['a', 'b']]],
  ['semicolons', 'a;b;c,d\n1;2;3,4', [1, ['a', 'b', 'c,d']], [2, ['1', '2', '3,4']]],
  ['tabs', 'a\tb\n1\t2', [1, ['a', 'b']], [2, ['1', '2']]],
  ["Excel's line of the separator", 'sep=;\na;b,c,d\n1;2', [2, ['a', 'b,c,d']], [3, ['1', '2']]],
  ['that line after a byte order mark', '\uFEFFSEP=,\r\na,b;c;d\r\n1,2', [2, ['a', 'b;c;d']], [3, ['1', '2']]],
  ['a tab in that line', 'sep=\t\na\tb,c,d\n', [2, ['a', 'b,c,d']]],
  ['a column sep=', 'sep=,b\n1,2', [1, ['sep=', 'b']], [2, ['1', '2']]],
  ['line ends and commas in a cell that is not a row', 'a,b\n1,"x\ny,z,0"\n', [1, ['a', 'b']], [2, ['1', 'x\ny,z,0']]],
  ['a header with quoted commas', '"a,b,c";d\n1;2', [1, ['a,b,c', 'd']], [2, ['1', '2']]],
  ['JSON Lines', '\uFEFF{"a":"x,y"}\r\n\n{"b":"\\"z\\"', [1, ['{"a":"x,y"}']], [3, ['{"b":"\\"z\\"']]],
])('the records of a file with %s are read', async (_what, text, ...records) => {
  expect(await read(text)).toEqual(records)
})

test('any cells written as CSV are read unchanged', async () => {
  const letters = fc.constantFrom('a', ' ', ',', ';', '"', '\n', 'é', '\t')
  // A further line of three cells looks like a row.
  const isRow = (text: string) => text.split(',').length === 3
  const cell = fc.string({ unit: letters, maxLength: 8 }).filter((text) => !text.split('\n').slice(1).some(isRow))
  const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(rows, async (cells) => {
      const quoted = cells.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
      const found = await read(['x,y,z', ...quoted].join('\n'))
      expect(found.map(([, one]) => one)).toEqual([['x', 'y', 'z'], ...cells])
    }),
  )
})

test.each([
  ['at the end of the file', 'a,b\n1,2\n"3,4\n'],
  ['that another stray mark closes at the end of a row', 'a,b\n1,2\n3,"4\n5,6"\n7,8\n'],
  ['that another stray mark closes inside of a row', 'a,b\n1,2\n3,"4\n5,"6\n7,8\n'],
  ['that another row closes much later', `a,b\n1,2\n3,"4\n${'5,6\n'.repeat(40_000)}7,8"\n9,0\n`],
  ['before a record that exceeds the limit', `a,b\n1,2\n"3,4\n${'5,6\n'.repeat(400_000)}`],
])('an unclosed quotation mark %s is refused with its line', async (_where, content) => {
  await expect(read(content)).rejects.toThrow(/^Line 3 of .*quotation mark/)
})

test.each([
  ['that is never closed', 'a,b\n1,2\n"3,4\n'],
  ['that another row closes', 'a,b\n1,2\n3,"4\n5,6"\n7,8\n'],
])('only the records before a quotation mark %s are read', async (_what, content) => {
  const path = join(temporaryFolder(), 'viewers')
  writeFileSync(path, content)
  const file = await openRecordFile(path)
  const lines: number[] = []
  const reading = async () => {
    for await (const records of file.records) lines.push(...records.map(({ line }) => line))
  }
  await expect(reading()).rejects.toThrow()
  expect(lines).toEqual([2])
  file.close()
})

test.each(['', 'a,b\n1,2\n', '{"a":1}\n'])('a line longer than 1 MiB after %j is refused', async (start) => {
  await expect(read(`${start}${'x'.repeat(3_000_000)}`)).rejects.toThrow(/^Line \d of .* is longer than 1 MiB/)
})

test.each(['utf16le', 'utf16be'])(
  'a file in %s with its mark, the "Unicode" of spreadsheets, is read',
  async (name) => {
    const content = Buffer.from(`\uFEFFuser\tnäme\r\n${'ada\tÄ😀\r\n'.repeat(20_000)}`, 'utf16le')
    const records = await read(name === 'utf16le' ? content : content.swap16())
    expect([records.length, records[0], records[20_000]]).toEqual([
      20_001,
      [1, ['user', 'näme']],
      [20_001, ['ada', 'Ä😀']],
    ])
  },
)

test.each([
  ['in windows-1252', Buffer.from('naïve;E-Mail\na;b\n', 'latin1'), /UTF-8.*Excel/],
  ['of Excel itself', Buffer.from('PK\u0003\u0004xl/workbook.xml\n'), /workbook.*CSV UTF-8/],
])('a file %s is refused with a sentence that says what to do', async (_what, content, message) => {
  await expect(read(content)).rejects.toThrow(message)
})

test('a missing file and a folder are refused with the error code', async () => {
  const folder = join(temporaryFolder(), 'folder')
  mkdirSync(folder)
  await expect(openRecordFile(join(folder, 'nothing'))).rejects.toThrow(/cannot be read.*ENOENT/)
  await expect(openRecordFile(folder)).rejects.toThrow(/cannot be read.*EISDIR/)
})

test('a line or a character that is split between two chunks is read whole', async () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => `vïewer-${index},pässword`)
  const records = await read(`username,password\n${rows.join('\n')}`)
  expect(records.slice(1)).toEqual(rows.map((row, index) => [index + 2, row.split(',')]))
})
