import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvRecords } from '../../../src/users/import/csv-records.ts'
import type { TextLine } from '../../../src/users/import/text-lines.ts'

function linesOf(text: string): TextLine[] {
  return text.split('\n').map((line, index) => ({ line: index + 1, text: line, bytesRead: 0 }))
}

/** Line and cells of each record; null for one that cannot be read. */
function read(text: string): [line: number, cells: readonly string[] | null][] {
  return [...csvRecords(linesOf(text))].map((record) => [record.line, record.ok ? record.cells : null])
}

test.each([
  [
    'plain cells',
    'a,b\n1,2',
    [
      [1, ['a', 'b']],
      [2, ['1', '2']],
    ],
  ],
  [
    'empty cells',
    'a,b,\n,,',
    [
      [1, ['a', 'b', '']],
      [2, ['', '', '']],
    ],
  ],
  [
    'spaces, which are kept',
    'a,b\n 1 , 2',
    [
      [1, ['a', 'b']],
      [2, [' 1 ', ' 2']],
    ],
  ],
  [
    'a separator in quotation marks',
    'a,b\n"1,1",2',
    [
      [1, ['a', 'b']],
      [2, ['1,1', '2']],
    ],
  ],
  [
    'quotation marks in quotation marks',
    'a\n"say ""hi"""\n""',
    [
      [1, ['a']],
      [2, ['say "hi"']],
      [3, ['']],
    ],
  ],
  [
    'a line end in quotation marks',
    'a,b\n"1\n\n1",2\n3,4',
    [
      [1, ['a', 'b']],
      [2, ['1\n\n1', '2']],
      [5, ['3', '4']],
    ],
  ],
  [
    'blank lines, which are left out',
    '\na\n\n1\n\n',
    [
      [2, ['a']],
      [4, ['1']],
    ],
  ],
  [
    'semicolons',
    'a;b;c,d\n1;2;3,4',
    [
      [1, ['a', 'b', 'c,d']],
      [2, ['1', '2', '3,4']],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2',
    [
      [1, ['a', 'b']],
      [2, ['1', '2']],
    ],
  ],
  [
    'a header whose commas are in quotation marks',
    '"a,b,c";d\n1;2',
    [
      [1, ['a,b,c', 'd']],
      [2, ['1', '2']],
    ],
  ],
])('a CSV file is read: %s', (_what, text, records) => {
  expect(read(text)).toEqual(records)
})

test.each([
  [
    'never closed',
    'a,b\n"1,2\n3,4',
    [
      [1, ['a', 'b']],
      [2, null],
      [3, ['3', '4']],
    ],
  ],
  [
    'inside a cell',
    'a,b\n1"1,2"\n3,4',
    [
      [1, ['a', 'b']],
      [2, null],
      [3, ['3', '4']],
    ],
  ],
  [
    'followed by more',
    'a,b\n"1"1,2\n3,4',
    [
      [1, ['a', 'b']],
      [2, null],
      [3, ['3', '4']],
    ],
  ],
])('a quotation mark that is %s spoils its own line only', (_what, text, records) => {
  expect(read(text)).toEqual(records)
})

test('a quotation mark that is never closed does not swallow a long file', () => {
  const records = read(`a,b\n"1,2\n${'3,4\n'.repeat(50_000)}`)
  expect(records[1]).toEqual([2, null])
  expect(records).toHaveLength(50_002)
})

test('what a spreadsheet would write is read as it was', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', '\n', 'é', '\t'), maxLength: 8 })
  const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(rows, (cells) => {
      const quoted = cells.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
      expect(read(['x,y,z', ...quoted].join('\n')).map(([, found]) => found)).toEqual([['x', 'y', 'z'], ...cells])
    }),
  )
})
