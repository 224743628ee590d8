import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchPart, inRounds } from './bench-part.ts'
import { compared } from './bench-row.ts'
import { openChildren } from './child.ts'
import { runCommandLine } from './command-line.ts'
import { environmentAt, MEBIBYTE, MOST_MEBIBYTES } from './reports.bench.ts'

const SEGMENTS = 1_000_000
/** As many names as the segments have, and others who do not come. Every third name is another one at the service. */
const INVITED = 80_000
const ROUNDS = 2
const MOST_TIMES = 2

/** Measures the attendance of a large event against a plain report of the same segments, by turns. */
export const attendance: BenchPart = {
  name: 'attendance',
  expectedSeconds: 150,
  async *rows(benchRun) {
    const { installation } = benchRun
    const { folder } = installation
    const report = join(folder, 'report')
    const list = join(folder, 'invited.csv')
    const names = Array.from(
      { length: INVITED },
      (_, at) => `viewer.number.${at}@example.com${at % 3 === 0 ? '.org' : ''}\n`,
    )
    writeFileSync(list, `username\n${names.join('')}`)
    await using children = openChildren()
    const service = await children.start({ script: 'serve-report-pages.ts', args: [String(SEGMENTS)], folder })
    const env = environmentAt(`http://127.0.0.1:${service.port}`)
    const run = (...args: string[]) =>
      runCommandLine(['report', ...args, '--last', '7d', '--csv', '--output', report], env)
    const rounds = await inRounds(ROUNDS, benchRun, 'report attendance', async () => ({
      attendance: await run('attendance', '--channel', '1001', '--invited', list),
      views: await run('views'),
    }))
    rmSync(report, { force: true })
    yield {
      name: 'report attendance --csv, against report views --csv',
      ...compared(
        rounds,
        (round) => round.attendance.elapsedSeconds,
        (round) => round.views.elapsedSeconds,
      ),
      unit: 's',
      target: { atMost: MOST_TIMES },
      note: `${SEGMENTS.toLocaleString('en')} segments, ${INVITED.toLocaleString('en')} invited`,
    }
    yield {
      name: 'Most memory of report attendance --csv',
      value: Math.max(...rounds.map((round) => round.attendance.peakBytes)) / MEBIBYTE,
      unit: 'MiB',
      target: { atMost: MOST_MEBIBYTES },
    }
  },
}
