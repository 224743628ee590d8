import { expect, test } from 'vitest'
import { textTable } from '../../../../src/tools/cli/terminal/table.ts'

test('a table truncates a very long cell, so that the other rows stay short', async () => {
  const rows = [['x'.repeat(1_000_000), 'end'], ...Array.from({ length: 999 }, () => ['ada', 'end'])]
  const lines = (await textTable(null, ['Viewer', 'Last'], rows)).split('\n')
  expect(lines).toHaveLength(1_001)
  expect(lines[1]).toBe(`${'x'.repeat(200)}…  end`)
  expect(lines[2]).toBe(`ada${' '.repeat(200)}end`)
})

test('a table on a terminal fits its width: the texts are cut from the right, and numbers are right-aligned', async () => {
  const rows = [
    ['annegret.schmidt@subsidiary.example.com', 'A town hall with a long title', '1 Nov 18:03', '7'],
    ['佐藤', '株式会社日本放送協会株式会社日本放送協会', '25 Oct 18:03', '1,234'],
  ]
  const lines = (await textTable(null, ['Viewer', 'Content', 'Started', 'Views'], rows, 60)).split('\n')
  expect(lines[0]).toMatch(/^Viewer +Content +Started +Views$/)
  expect(lines[1]).toMatch(/^annegret\.schmid\S*… {2}A town ha… {2}1 Nov 18:03 +7$/)
  expect(lines[2]).toMatch(/^佐藤 +株式会社\S*… {2,3}25 Oct 18:03 {2}1,234$/)
  expect(lines.map((line) => line.length <= 60)).toEqual([true, true, true])
})

test('a table that fits the terminal is whole', async () => {
  const rows = [['ada@example.com', 'Town hall']]
  expect(await textTable(null, ['Viewer', 'Content'], rows, 80)).toBe(
    await textTable(null, ['Viewer', 'Content'], rows),
  )
})

test('a table names the columns that do not fit the terminal', async () => {
  const long = 'x'.repeat(40)
  const table = await textTable(null, ['Viewer', 'Content', 'Place', 'Device'], [[long, long, long, long]], 30)
  expect(table.split('\n')).toEqual([
    expect.stringMatching(/^Viewer +Content$/),
    expect.stringMatching(/^x+… {2}x+…$/),
    'No room for: Place, Device. Widen the terminal, or use --csv.',
  ])
})
