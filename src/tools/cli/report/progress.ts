import type { CommandIo } from '../terminal/io.ts'
import { canRedraw } from '../terminal/progress.ts'

export interface ReportProgress {
  page(number: number, rows: number): void
  end(): void
}

const REDRAW_MS = 1_000
/** Interval of lines in a log. */
const LINE_EVERY_MS = 15_000

/**
 * Shows the progress of a report: one redrawn line on a terminal, elsewhere a new line every 15 s.
 * @param before the pages and rows of an interrupted report.
 */
export function startReportProgress(
  { stderr, env }: Pick<CommandIo, 'stderr' | 'env'>,
  before = { pages: 0, rows: 0 },
): ReportProgress {
  const isDrawn = canRedraw({ stderr, env })
  const beganMs = performance.now()
  let { pages, rows } = before
  const text = () => {
    const seconds = Math.round((performance.now() - beganMs) / 1000)
    return `Waiting for page ${pages + 1}: ${rows.toLocaleString('en')} rows so far, ${seconds} s`
  }
  // Redrawing clears only one line.
  const fitting = () => text().slice(0, (stderr.columns ?? 80) - 1)
  const draw = stderr.isTTY
    ? () => void stderr.write(`\r\u001b[2K${fitting()}`)
    : () => void stderr.write(`${text()}\n`)
  const timer = setInterval(draw, isDrawn ? REDRAW_MS : LINE_EVERY_MS)
  return {
    page(number, count) {
      pages = number
      rows += count
      if (isDrawn) draw()
    },
    end() {
      clearInterval(timer)
      if (isDrawn) stderr.write('\r\u001b[2K')
    },
  }
}
