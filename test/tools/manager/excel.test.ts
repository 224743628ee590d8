import { expect, test } from 'vitest'
import { excelSheet } from '../../../src/tools/manager/after/excel-sheet.ts'

const textOf = (sheet: Buffer) => new TextDecoder('utf-16le').decode(sheet)

test('a sheet is UTF-16 with a mark and tabs, as Excel opens it in every country', () => {
  const sheet = excelSheet(['Name', 'Minutes'], [['Jürgen 王', 61.5]], 'de')
  expect(sheet.subarray(0, 2).toString('hex')).toBe('fffe')
  expect(textOf(sheet)).toBe('Name\tMinutes\r\nJürgen 王\t61,5\r\n')
  expect(textOf(excelSheet([], [[61.5]], 'en'))).toContain('61.5')
})

test('times have the form that Excel takes for times', () => {
  expect(textOf(excelSheet([], [['2026-11-24T20:15:00+01:00', null, true]], 'en'))).toBe(
    '\r\n2026-11-24 20:15:00\t\ttrue\r\n',
  )
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '"=1"', 'a;=1'])('a formula is a text for Excel: %j', (text) => {
  const [, cell = ''] = textOf(excelSheet([], [[text, 'x']], 'en')).split('\r\n')
  expect(cell.split('\t')).toHaveLength(2)
  expect(cell).toContain("'")
})

test('a text cannot begin a row or a column', () => {
  expect(textOf(excelSheet([], [['a\tb\r\nc', 'x']], 'en')).split('\r\n')).toHaveLength(3)
})
