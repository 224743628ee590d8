import type { CommandIo } from '../terminal/io.ts'
import { printable, printableLines } from '../terminal/text.ts'
import type { DrillRecord, Mark } from './crowd/run-drill.ts'
import type { OperatorCommand } from './operator-commands.ts'
import { waitWords } from './verdict/criteria.ts'
import { crowdAt, sumOf } from './verdict/moment.ts'

const TITLES = [
  'time',
  'in',
  'waiting',
  'gave up',
  'got in',
  'told to wait',
  'no answer',
  'errors',
  'median',
  'longest',
]
const LEAST_EVERY_MS = 1_000
const MOST_EVERY_MS = 15_000
const ROWS_A_RAMP = 40

/**
 * Writes a row every few seconds, and a line for each command and mark. The first columns count the viewers who are in,
 * who wait, and who gave up. The other columns are about the requests since the last row.
 */
export function startLiveTable({ stderr }: Pick<CommandIo, 'stderr'>, overMs: number) {
  const everyMs = Math.min(MOST_EVERY_MS, Math.max(LEAST_EVERY_MS, overMs / ROWS_A_RAMP))
  let timer: NodeJS.Timeout | undefined
  let writeRow = () => {}
  let running: OperatorCommand | undefined
  const write = (cells: readonly string[]) => {
    stderr.write(`${cells.map((cell, index) => cell.padStart(TITLES[index]?.length ?? 0)).join('  ')}\n`)
  }
  return {
    start(record: DrillRecord, nowMs: () => number): void {
      let seen = 0
      writeRow = () => {
        const atMs = nowMs()
        const { inside, waiting, gaveUp } = crowdAt(record.visits, atMs)
        const sum = sumOf(record.attempts.slice(seen))
        seen = record.attempts.length
        write([
          clockWords(atMs),
          ...[inside, waiting, gaveUp, sum.passed, sum.askedToWait, sum.unanswered, sum.errors].map(String),
          waitWords(sum.medianWaitMs),
          waitWords(sum.longestWaitMs),
        ])
      }
      write(TITLES)
      timer = setInterval(writeRow, everyMs)
    },
    mark: ({ atMs, words }: Mark) => void stderr.write(`${clockWords(atMs)}  ${words}\n`),
    command(changed: OperatorCommand): void {
      const { command, startedMs, endedMs, exitStatus, output } = changed
      const name = printable(command)
      running = endedMs === null ? changed : undefined
      if (endedMs === null) stderr.write(`${clockWords(startedMs ?? 0)}  runs: ${name}\n`)
      else {
        const how = exitStatus === 0 ? 'done' : `failed with exit status ${exitStatus ?? 'unknown'}`
        stderr.write(`${clockWords(endedMs)}  ${how}: ${name}\n${output === '' ? '' : `${printableLines(output)}\n`}`)
      }
    },
    /** Says at once that a Ctrl-C waits for a running command, which can take long. */
    stopping(): void {
      if (running) stderr.write(`Stopping. This command still runs: ${printable(running.command)}\n`)
    },
    end(): void {
      clearInterval(timer)
      writeRow()
    },
  }
}

/** Returns minutes and seconds since the start, such as 2:05. */
export function clockWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
