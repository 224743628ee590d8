import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type OtherBench, otherBench, rowsAgainst } from './against.ts'
import { attendance } from './attendance.bench.ts'
import { type BenchPart, unlessFailed } from './bench-part.ts'
import { type BenchRow, type FailedRow, isMet } from './bench-row.ts'
import { copies } from './copies.bench.ts'
import { entryPoints } from './entry-points.bench.ts'
import { evening } from './evening.bench.ts'
import { growth } from './growth.bench.ts'
import { createInstallation, type Installation } from './installation.ts'
import { othersLoad, startMeter } from './machine-load.ts'
import { manager } from './manager.bench.ts'
import { figuresOf } from './plan/figures.ts'
import { type PlannedEvent, planFor, planText } from './plan/plan.ts'
import { openProgress } from './progress.ts'
import { reports } from './reports.bench.ts'
import { requests } from './requests.bench.ts'
import { screenLimit } from './screen-limit.bench.ts'
import { signIns } from './sign-ins.bench.ts'
import { standIns } from './stand-ins.bench.ts'
import { start } from './start.bench.ts'
import { stores } from './stores.bench.ts'
import { lineOf, ratioLineOf, TABLE_HEAD } from './table.ts'
import { viewerTokens } from './viewer-tokens.bench.ts'
import { waitingRoom } from './waiting-room.bench.ts'

const PARTS: readonly BenchPart[] = [
  start,
  evening,
  requests,
  copies,
  standIns,
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
const USAGE = `Usage: npm run bench -- [--json] [--against DIR] [NAME…], with names of: ${NAMES}
       npm run bench -- plan --viewers NUMBER --minutes NUMBER`
/** Above this share of the cores, the figures are noise. */
const BUSY = 0.1

/** The parts with the rows of a plan. */
const OF_PLAN: readonly BenchPart[] = [copies, waitingRoom]

const { asJson, against, chosen, event } = readArguments()
const installation = await createInstallation()
const other = against === undefined ? null : await openOther(against)
const progress = openProgress(chosen)
const rows: (BenchRow | FailedRow)[] = []
try {
  if (!asJson) {
    const quiet = `other programs use ${Math.round((await othersLoad()) * 100)} %`
    const model = cpus()[0]?.model ?? 'unknown'
    console.log(`Node ${process.version}, ${cpus().length} × ${model}, ${quiet}`)
    console.log(other === null ? TABLE_HEAD : `Ratios of this checkout to ${against}, and their middle half`)
  }
  for (const part of chosen) {
    await sayIfBusy()
    progress.begin(part)
    for await (const row of unlessFailed(part.name, () => rowsOf(part))) {
      rows.push(row)
      progress.clear()
      if ('failure' in row) process.exitCode = 1
      if (!asJson) console.log(textOf(row))
    }
  }
} finally {
  progress.clear()
  await installation.remove()
  await other?.installation.remove()
}
if (event !== null) console.log(`\n${planText(planFor(figuresOf(rows), event), event)}`)
else if (asJson) console.log(JSON.stringify(rows.map((row) => ('failure' in row ? row : { ...row, met: isMet(row) }))))

interface Arguments {
  readonly asJson: boolean
  readonly against: string | undefined
  readonly chosen: readonly BenchPart[]
  /** Null without `plan`. */
  readonly event: PlannedEvent | null
}

function readArguments(): Arguments {
  try {
    const text = { type: 'string' } as const
    const options = { json: { type: 'boolean', default: false }, against: text, viewers: text, minutes: text } as const
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const { json: asJson, against } = values
    if (positionals[0] === 'plan') {
      const event = { viewers: positive(values.viewers, 'viewers'), minutes: positive(values.minutes, 'minutes') }
      return { asJson, against: undefined, chosen: OF_PLAN, event }
    }
    const unknown = positionals.filter((name) => !PARTS.some((part) => part.name === name))
    if (unknown.length > 0) throw new TypeError(`Unknown part ${unknown.join(', ')}.`)
    const chosen = PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
    return { asJson, against, chosen, event: null }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    process.exit(2)
  }
}

function positive(text: string | undefined, name: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new TypeError(`--${name} needs a number above 0.`)
  return number
}

function textOf(row: BenchRow | FailedRow): string {
  if ('failure' in row) return `${row.name}: FAILED: ${row.failure}`
  return other === null ? lineOf(row) : ratioLineOf(row)
}

/** Returns the rows of a part, with `--against` those of both checkouts. */
async function* rowsOf(part: BenchPart): AsyncGenerator<BenchRow | FailedRow> {
  const run = { installation, progress: progress.show, startMeter }
  if (other === null) return yield* part.rows(run)
  const there = await other.bench.partNamed(part.name)
  if (there === null) return progress.show.warn(`${against} has no part ${part.name}.`)
  yield* rowsAgainst({ part, run }, { part: there, run: { ...run, installation: other.installation } })
}

async function openOther(folder: string): Promise<{ bench: OtherBench; installation: Installation }> {
  try {
    const bench = await otherBench(folder)
    return { bench, installation: await bench.createInstallation() }
  } catch (error) {
    await installation.remove()
    throw error
  }
}

async function sayIfBusy(): Promise<void> {
  const load = await othersLoad()
  if (load < BUSY) return
  progress.show.warn(
    `Warning: other programs use ${Math.round(load * 100)} % of this machine. Stop them, or repeat the run.`,
  )
}
