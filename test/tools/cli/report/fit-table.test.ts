import { expect, test } from 'vitest'
import { fitTable } from '../../../../src/tools/cli/report/table/fit-table.ts'
import { textTable } from '../../../../src/tools/cli/terminal/table.ts'

async function linesOf(titles: readonly string[], rows: readonly (readonly string[])[], widthColumns: number) {
  const { leftOut, ...fitted } = fitTable({ titles, rows }, widthColumns)
  return { leftOut, lines: (await textTable(null, fitted.titles, fitted.rows)).split('\n') }
}

test('a table on a terminal fits its width: long texts are cut to one width, and numbers are right-aligned', async () => {
  const rows = [
    ['annegret.schmidt@subsidiary.example.com', 'A town hall with a long title', '1 Nov 18:03', '7'],
    ['佐藤', '株式会社日本放送協会株式会社日本放送協会', '25 Oct 18:03', '1,234'],
  ]
  const { lines } = await linesOf(['Viewer', 'Content', 'Started', 'Views'], rows, 60)
  expect(lines[0]).toMatch(/^Viewer +Content +Started +Views$/)
  expect(lines[1]).toMatch(/^annegret\.schmidt@… {2}A town hall with … {2}1 Nov 18:03 +7$/)
  expect(lines[2]).toMatch(/^佐藤 +株式会社\S*… {2,3}25 Oct 18:03 {2}1,234$/)
  expect(lines.map((line) => line.length <= 60)).toEqual([true, true, true])
})

test('a table that fits the terminal is whole', async () => {
  const rows = [['ada@example.com', 'Town hall']]
  expect(await linesOf(['Viewer', 'Content'], rows, 80)).toEqual({
    leftOut: [],
    lines: ['Viewer           Content', 'ada@example.com  Town hall'],
  })
})

test('columns without room are left out and named', async () => {
  const long = 'x'.repeat(40)
  const { leftOut, lines } = await linesOf(['Viewer', 'Content', 'Place', 'Device'], [[long, long, long, long]], 30)
  expect(lines).toEqual([expect.stringMatching(/^Viewer +Content$/), expect.stringMatching(/^x+… {2}x+…$/)])
  expect(leftOut).toEqual(['Place', 'Device'])
})
