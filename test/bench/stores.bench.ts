import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../servers/postgres.ts'
import { barePostgresRowsPerSecond, bareSqliteRowsPerSecond } from './bare-insert.ts'
import { type BenchRow, median } from './bench-row.ts'
import { type Child, startChild } from './child.ts'
import { runCommandLine } from './command-line.ts'
import type { Installation } from './installation.ts'
import { closedLoad } from './load.ts'
import { FEW, MANY, usernameOf, writeViewerFile } from './many-viewers.ts'
import { signInRequest } from './requests.ts'

const ROUNDS = 7
const ROUND_MS = 2000
const CONNECTIONS = 8
const MEGABYTE = 1_000_000

/** Measures a million viewers: the speed of their import, and the cost of their number for a sign-in. */
export async function storeRows(installation: Installation): Promise<BenchRow[]> {
  const { folder, passwordHash } = installation
  const files = { many: join(folder, 'many.csv'), few: join(folder, 'few.csv') }
  await writeViewerFile(files.many, MANY, passwordHash)
  await writeViewerFile(files.few, FEW, passwordHash)
  const postgres = await startPostgres({ settings: { shared_buffers: '128MB' } })
  try {
    return [...(await sqliteRows(installation, files)), ...(await postgresRows(installation, files, postgres))]
  } finally {
    await postgres.stop()
    for (const file of Object.values(files)) rmSync(file)
  }
}

type Files = Readonly<Record<'many' | 'few', string>>

async function sqliteRows(installation: Installation, files: Files): Promise<BenchRow[]> {
  const { folder, passwordHash } = installation
  const many = `sqlite:${join(folder, 'many.db')}`
  const few = `sqlite:${join(folder, 'few.db')}`
  const bare = bareSqliteRowsPerSecond(join(folder, 'bare.db'), passwordHash)
  const imported = await importRows('SQLite', many, files.many, bare)
  await runCommandLine(['viewers', 'import', files.few], { USER_STORE_URL: few })
  return [...imported, await signInRow('SQLite', installation, many, few)]
}

async function postgresRows(installation: Installation, files: Files, postgres: PostgresServer): Promise<BenchRow[]> {
  const [many, few, other] = [await newDatabase(postgres), await newDatabase(postgres), await newDatabase(postgres)]
  const bare = await barePostgresRowsPerSecond(other, installation.passwordHash)
  for (const url of [many, few]) await runCommandLine(['viewers', 'migrate'], { USER_STORE_URL: url })
  const imported = await importRows('PostgreSQL', many, files.many, bare)
  await runCommandLine(['viewers', 'import', files.few], { USER_STORE_URL: few })
  return [
    ...imported,
    await signInRow('PostgreSQL', installation, many, few),
    await twoProcessesRow(installation, many),
  ]
}

async function newDatabase(postgres: PostgresServer): Promise<string> {
  return postgres.url({ database: await postgres.createDatabase() })
}

async function importRows(store: string, url: string, file: string, bare: number): Promise<BenchRow[]> {
  const { elapsedSeconds, peakBytes } = await runCommandLine(['viewers', 'import', file], { USER_STORE_URL: url })
  const perSecond = MANY / elapsedSeconds
  return [
    {
      name: `Import of 1,000,000 hashed viewers into ${store}`,
      value: perSecond,
      unit: 'rows per second',
      baseline: bare,
      ratio: perSecond / bare,
      note: 'against bare inserts of made-up rows, nothing read or checked',
    },
    {
      name: `Peak of resident memory of the import into ${store}`,
      value: peakBytes / MEGABYTE,
      unit: 'MB',
      target: { atMost: 200 },
    },
  ]
}

async function signInRow(store: string, installation: Installation, many: string, few: string): Promise<BenchRow> {
  const [ofMany, ofFew] = [await startLogin(installation, many, 'many'), await startLogin(installation, few, 'few')]
  try {
    const rounds = await inRounds(async () => ({
      many: await signInsPerSecond(installation, [ofMany], MANY),
      few: await signInsPerSecond(installation, [ofFew], FEW),
    }))
    return {
      name: `Sign-ins among 1,000,000 viewers in ${store}`,
      value: median(rounds.map((round) => round.many)),
      unit: 'per second',
      baseline: median(rounds.map((round) => round.few)),
      ratio: median(rounds.map((round) => round.many / round.few)),
      target: { atLeast: 0.95 },
      note: 'against sign-ins among 1,000',
    }
  } finally {
    await Promise.all([ofMany.stop(), ofFew.stop()])
  }
}

async function twoProcessesRow(installation: Installation, url: string): Promise<BenchRow> {
  const [one, two] = [await startLogin(installation, url, 'one'), await startLogin(installation, url, 'two')]
  try {
    const rounds = await inRounds(async () => ({
      both: await signInsPerSecond(installation, [one, two], MANY),
      alone: await signInsPerSecond(installation, [one], MANY),
    }))
    return {
      name: 'Sign-ins of two processes on this machine',
      value: median(rounds.map(({ both }) => both)),
      unit: 'per second',
      baseline: median(rounds.map(({ alone }) => alone)),
      ratio: median(rounds.map(({ both, alone }) => both / alone)),
      note: 'against one, which uses every core by itself: hashing is the limit',
    }
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

async function inRounds<T>(measure: () => Promise<T>): Promise<T[]> {
  await measure()
  const rounds: T[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure())
  return rounds
}

function startLogin({ folder, environment }: Installation, url: string, name: string): Promise<Child> {
  const env = {
    ...environment,
    USER_STORE_URL: url,
    SESSION_STORE_URL: `sqlite:${join(folder, `sessions-${name}.db`)}`,
  }
  return startChild({ script: '../../src/main.ts', env, folder: folder })
}

let asked = 0

/** @throws Error for any wrong answer. */
async function signInsPerSecond(
  { password }: Installation,
  children: readonly Child[],
  viewers: number,
): Promise<number> {
  const untilMs = performance.now() + ROUND_MS
  const results = await Promise.all(
    children.map(({ port }) =>
      closedLoad({
        port,
        connections: CONNECTIONS / children.length,
        // Consecutive names are far apart in the store.
        request: () => signInRequest(asked, usernameOf((asked++ * 7919) % viewers), password),
        goesOn: () => performance.now() < untilMs,
      }),
    ),
  )
  const strange = results.flatMap(({ statuses }) => [...statuses]).filter(([status]) => status !== 303)
  if (strange.length > 0) throw new Error(`Expected only 303: ${JSON.stringify(strange)}`)
  return results.reduce((sum, { statuses, elapsedSeconds }) => sum + (statuses.get(303) ?? 0) / elapsedSeconds, 0)
}
