import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { startReportProgress } from '../../../../src/tools/cli/report/progress.ts'

test.each([20, 40, 80])('the progress fits one line of a terminal with %d columns', (columns) => {
  const terminal = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns })
  const progress = startReportProgress({ stderr: terminal, env: {} })
  progress.page(123, 1_234_567)
  progress.end()
  const [, drawn = '', left] = String(terminal.read()).split('\r\u001b[2K')
  expect(drawn).toBe('Waiting for page 124: 1,234,567 rows so far, 0 s'.slice(0, columns - 1))
  expect(left).toBe('')
})

test('a terminal that cannot redraw shows no progress line', () => {
  const printer = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
  const progress = startReportProgress({ stderr: printer, env: { TERM: 'dumb' } })
  progress.page(1, 10)
  progress.end()
  expect(printer.read()).toBeNull()
})
