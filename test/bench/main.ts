import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { attendance } from './attendance.bench.ts'
import { type BenchPart, unlessFailed } from './bench-part.ts'
import { type BenchRow, type FailedRow, isMet } from './bench-row.ts'
import { entryPoints } from './entry-points.bench.ts'
import { evening } from './evening.bench.ts'
import { growth } from './growth.bench.ts'
import { createInstallation } from './installation.ts'
import { machineLoad } from './machine-load.ts'
import { manager } from './manager.bench.ts'
import { openProgress } from './progress.ts'
import { reports } from './reports.bench.ts'
import { requests } from './requests.bench.ts'
import { screenLimit } from './screen-limit.bench.ts'
import { signIns } from './sign-ins.bench.ts'
import { start } from './start.bench.ts'
import { stores } from './stores.bench.ts'
import { lineOf, TABLE_HEAD } from './table.ts'
import { viewerTokens } from './viewer-tokens.bench.ts'
import { waitingRoom } from './waiting-room.bench.ts'

const PARTS: readonly BenchPart[] = [
  start,
  evening,
  requests,
  viewerTokens,
  growth,
  entryPoints,
  signIns,
  stores,
  reports,
  attendance,
  screenLimit,
  waitingRoom,
  manager,
]
const NAMES = PARTS.map(({ name }) => name).join(', ')
const USAGE = `Usage: npm run bench -- [--json] [NAME…], with names of: ${NAMES}`
/** Above this share of the cores, the figures are noise. */
const BUSY = 0.1

const { asJson, chosen } = readArguments()
const installation = await createInstallation()
const progress = openProgress(chosen)
const rows: (BenchRow | FailedRow)[] = []
try {
  if (!asJson)
    console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n${TABLE_HEAD}`)
  for (const part of chosen) {
    await warnIfBusy()
    progress.begin(part)
    for await (const row of unlessFailed(part.name, () => part.rows({ installation, progress: progress.show }))) {
      rows.push(row)
      progress.clear()
      if ('failure' in row) process.exitCode = 1
      if (!asJson) console.log('failure' in row ? `${row.name}: FAILED: ${row.failure}` : lineOf(row))
    }
  }
} finally {
  progress.clear()
  await installation.remove()
}
if (asJson) console.log(JSON.stringify(rows.map((row) => ('failure' in row ? row : { ...row, met: isMet(row) }))))

function readArguments(): { asJson: boolean; chosen: readonly BenchPart[] } {
  try {
    const options = { json: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const unknown = positionals.filter((name) => !PARTS.some((part) => part.name === name))
    if (unknown.length > 0) throw new TypeError(`Unknown part ${unknown.join(', ')}.`)
    const chosen = PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
    return { asJson: values.json, chosen }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    process.exit(2)
  }
}

async function warnIfBusy(): Promise<void> {
  const load = await machineLoad()
  if (load < BUSY) return
  progress.show.warn(
    `Warning: other programs use ${Math.round(load * 100)} % of this machine. Stop them, or repeat the run.`,
  )
}
