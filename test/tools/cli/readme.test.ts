import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ServiceEnvironment } from '../../../src/tools/video-service/service-settings.ts'
import { commandsOf } from '../../documentation/command-table.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runHere } from './run-here.ts'

const README = readFileSync(new URL('../../../src/tools/cli/README.md', import.meta.url), 'utf8')
/** The columns of each row of a table whose first column begins with a code span. */
const ROWS = README.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').slice(1, -1))

function codeSpans(column = ''): string[] {
  return [...column.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
}

test('the help of the program fits a terminal of 24 lines and 80 columns', async () => {
  const lines = (await runHere(['--help'], { cwd: temporaryFolder() })).stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('the README of the command line has every setting SERVICE_…, with its default', () => {
  const rows = ROWS.filter(([first]) => codeSpans(first).some((name) => name.startsWith('SERVICE_')))
  const documented = rows.map((row) => [codeSpans(row[0])[0], row.at(-1)?.trim()])
  expect(documented).toEqual(
    Object.entries(ServiceEnvironment.in.shape).map(([name, field]) => {
      const absent = field.safeParse(undefined)
      return [name, !absent.success ? 'required' : absent.data === undefined ? 'none' : `\`${absent.data}\``]
    }),
  )
})

test('every line of the help fits 80 columns, except examples', async () => {
  const commands = await commandsOf()
  expect(commands.length).toBeGreaterThan(5)
  for (const command of ['', ...commands.map(({ name }) => name)]) {
    const { stdout } = await runHere([...command.split(' ').filter(Boolean), '--help'], { cwd: temporaryFolder() })
    const isTooLong = (line: string) => line.length > 80 && !line.startsWith('  $ ')
    expect([command, stdout.split('\n').filter(isTooLong)]).toEqual([command, []])
  }
})
