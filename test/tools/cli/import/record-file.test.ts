import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openRecordFile } from '../../../../src/tools/cli/import/record-file.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

/** Returns the line and the cells of each record. */
async function read(content: string | Uint8Array): Promise<[line: number, cells: readonly string[]][]> {
  const path = join(temporaryFolder(), 'viewers')
  writeFileSync(path, content)
  const file = await openRecordFile(path)
  const found: [number, readonly string[]][] = []
  try {
    for await (const records of file.records) for (const { line, cells } of records) found.push([line, cells])
    return found
  } finally {
    file.close()
  }
}

test.each([
  ['empty cells', 'a,b,\n,,', [1, ['a', 'b', '']], [2, ['', '', '']]],
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
  ['a header with quoted commas', '"a,b,c";d\n1;2', [1, ['a,b,c', 'd']], [2, ['1', '2']]],
  ['JSON Lines', '\uFEFF{"a":"x,y"}\r\n\n{"b":"\\"z\\"', [1, ['{"a":"x,y"}']], [3, ['{"b":"\\"z\\"']]],
])('the records of a file with %s are read', async (_what, text, ...records) => {
  expect(await read(text)).toEqual(records)
})

test('any cells written as CSV are read unchanged', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', '\n', 'é', '\t'), maxLength: 8 })
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
  ['before a record that exceeds the limit', `a,b\n1,2\n"3,4\n${'5,6\n'.repeat(400_000)}`],
])('an unclosed quotation mark %s is refused with its line', async (_where, content) => {
  await expect(read(content)).rejects.toThrow(/^Line 3 of .*quotation mark/)
})

test('the records before an unclosed quotation mark are read', async () => {
  const path = join(temporaryFolder(), 'viewers')
  writeFileSync(path, 'a,b\n1,2\n"3,4\n')
  const file = await openRecordFile(path)
  const lines: number[] = []
  const reading = async () => {
    for await (const records of file.records) lines.push(...records.map(({ line }) => line))
  }
  await expect(reading()).rejects.toThrow()
  expect(lines).toEqual([1, 2])
  file.close()
})

test.each(['', 'a,b\n1,2\n', '{"a":1}\n'])('a line longer than 1 MiB after %j is refused', async (start) => {
  await expect(read(`${start}${'x'.repeat(3_000_000)}`)).rejects.toThrow(/^Line \d of .* is longer than 1 MiB/)
})

test('a file in UTF-16, the "Unicode" of spreadsheets, is refused', async () => {
  await expect(read(Buffer.from('\uFEFFusername\nada\n', 'utf16le'))).rejects.toThrow(/UTF-16.*UTF-8/)
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
