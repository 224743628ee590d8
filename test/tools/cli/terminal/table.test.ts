import { expect, test } from 'vitest'
import { textTable } from '../../../../src/tools/cli/terminal/table.ts'

test('a table truncates a very long cell, so that the other rows stay short', async () => {
  const rows = [['x'.repeat(1_000_000), 'end'], ...Array.from({ length: 999 }, () => ['ada', 'end'])]
  const lines = (await textTable(null, ['Viewer', 'Last'], rows)).split('\n')
  expect(lines).toHaveLength(1_001)
  expect(lines[1]).toBe(`${'x'.repeat(200)}…  end`)
  expect(lines[2]).toBe(`ada${' '.repeat(200)}end`)
})
