import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createQueue } from '../../src/server/work-queue.ts'
import { hashPassword } from '../../src/users/passwords/argon2.ts'
import { type PostgresServer, startPostgres } from '../users/postgres/server.ts'
import { barePostgresRowsPerSecond, bareSqliteRowsPerSecond } from './bare-insert.ts'
import { type BenchPart, type BenchRun, inRounds, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared, type FailedRow } from './bench-row.ts'
import { type Child, openChildren } from './child.ts'
import { runCommandLine } from './command-line.ts'
import type { Installation } from './installation.ts'
import { closedLoad } from './load.ts'
import { usernameOf, writeViewerFile } from './many-viewers.ts'
import { signInRequest } from './requests.ts'
import { allDone, expectOnly } from './unexpected-answers.ts'

const MANY = 250_000
const FEW = 1_000
/** Each takes a core about 20 ms. */
const PLAINTEXT = 400
const ROUNDS = 5
const ROUND_MS = 1000
const CONNECTIONS = 8
const MEGABYTE = 1_000_000

/** Measures 250,000 viewers: the speed of their import, and the cost of their number for a sign-in. */
export const stores: BenchPart = {
  name: 'stores',
  expectedSeconds: 70,
  async *rows(run) {
    const { folder, passwordHash } = run.installation
    const files = { many: join(folder, 'many.csv'), few: join(folder, 'few.csv') }
    await writeViewerFile(files.many, MANY, passwordHash)
    await writeViewerFile(files.few, FEW, passwordHash)
    const postgres = await startPostgres({ settings: { shared_buffers: '128MB' } })
    try {
      yield* unlessFailed('SQLite', () => sqliteRows(run, files))
      yield* unlessFailed('PostgreSQL', () => postgresRows(run, files, postgres))
    } finally {
      await postgres.stop()
      for (const file of Object.values(files)) rmSync(file)
    }
  },
}

type Files = Readonly<Record<'many' | 'few', string>>

async function* sqliteRows(run: BenchRun, files: Files): AsyncGenerator<BenchRow | FailedRow> {
  const { folder, passwordHash } = run.installation
  const many = `sqlite:${join(folder, 'many.db')}`
  const few = `sqlite:${join(folder, 'few.db')}`
  const bare = bareSqliteRowsPerSecond(join(folder, 'bare.db'), passwordHash)
  yield* importRows(run, 'SQLite', many, files.many, bare)
  yield* unlessFailed('Import of plaintext passwords', () => plaintextRow(run))
  await runCommandLine(['viewers', 'import', files.few], { USER_STORE_URL: few })
  yield await signInRow('SQLite', run, many, few)
}

async function* postgresRows(
  run: BenchRun,
  files: Files,
  postgres: PostgresServer,
): AsyncGenerator<BenchRow | FailedRow> {
  const many = await newDatabase(postgres)
  const few = await newDatabase(postgres)
  const other = await newDatabase(postgres)
  const bare = await barePostgresRowsPerSecond(other, run.installation.passwordHash)
  for (const url of [many, few]) await runCommandLine(['viewers', 'migrate'], { USER_STORE_URL: url })
  yield* importRows(run, 'PostgreSQL', many, files.many, bare)
  await runCommandLine(['viewers', 'import', files.few], { USER_STORE_URL: few })
  yield* unlessFailed('Sign-ins in PostgreSQL', () => signInRow('PostgreSQL', run, many, few))
  yield await twoProcessesRow(run, many)
}

async function newDatabase(postgres: PostgresServer): Promise<string> {
  return postgres.url({ database: await postgres.createDatabase() })
}

async function* importRows(
  { progress }: BenchRun,
  store: string,
  url: string,
  file: string,
  bare: number,
): AsyncGenerator<BenchRow> {
  progress(`Import of 250,000 viewers into ${store}`)
  const { elapsedSeconds, peakBytes } = await runCommandLine(['viewers', 'import', file], { USER_STORE_URL: url })
  const perSecond = MANY / elapsedSeconds
  yield {
    name: `Import into ${store}, against bare inserts`,
    value: perSecond,
    unit: 'rows per second',
    baseline: bare,
    ratio: perSecond / bare,
    note: 'hashed passwords; the bare inserts read and check nothing',
  }
  yield {
    name: `Peak of resident memory of the import into ${store}`,
    value: peakBytes / MEGABYTE,
    unit: 'MB',
    target: { atMost: 200 },
  }
}

/** An import hashes each plaintext password, on all cores. */
async function plaintextRow({ installation: { folder, password }, progress }: BenchRun): Promise<BenchRow> {
  const name = `Import of ${PLAINTEXT} passwords, against bare argon2id`
  progress(name)
  const file = join(folder, 'plaintext.csv')
  await writeViewerFile(file, PLAINTEXT, password, { column: 'password' })
  const bare = await bareHashesPerSecond(password)
  const { elapsedSeconds } = await runCommandLine(['viewers', 'import', file], {
    USER_STORE_URL: `sqlite:${join(folder, 'plaintext.db')}`,
  })
  rmSync(file)
  const value = PLAINTEXT / elapsedSeconds
  const note = 'includes the start of the command; the bare hashes use all cores too'
  return { name, value, unit: 'rows per second', baseline: bare, ratio: value / bare, target: { atLeast: 0.8 }, note }
}

async function bareHashesPerSecond(password: string): Promise<number> {
  const beginMs = performance.now()
  const queue = createQueue({ width: availableParallelism(), queueLength: PLAINTEXT })
  await Promise.all(Array.from({ length: PLAINTEXT }, () => queue.run(() => hashPassword(password))))
  return (PLAINTEXT * 1000) / (performance.now() - beginMs)
}

async function signInRow(store: string, run: BenchRun, many: string, few: string): Promise<BenchRow> {
  const { installation } = run
  return await withLogins(run, [many, few], async ([ofMany, ofFew]) => {
    const name = `Sign-ins in ${store}, 250,000 viewers against 1,000`
    const rounds = await inRounds(ROUNDS, run, name, async () => ({
      many: await signInsPerSecond(installation, [ofMany], MANY),
      few: await signInsPerSecond(installation, [ofFew], FEW),
    }))
    return {
      name,
      unit: 'per second',
      ...compared(
        rounds,
        (round) => round.many,
        (round) => round.few,
      ),
      target: { atLeast: 0.95 },
    }
  })
}

async function twoProcessesRow(run: BenchRun, url: string): Promise<BenchRow> {
  const { installation } = run
  return await withLogins(run, [url, url], async ([one, two]) => {
    const name = 'Sign-ins of two processes on this machine, against one'
    const rounds = await inRounds(ROUNDS, run, name, async () => ({
      both: await signInsPerSecond(installation, [one, two], MANY),
      alone: await signInsPerSecond(installation, [one], MANY),
    }))
    return {
      name,
      unit: 'per second',
      ...compared(
        rounds,
        ({ both }) => both,
        ({ alone }) => alone,
      ),
      note: 'one process uses every core by itself: hashing is the limit',
    }
  })
}

let started = 0

/** Starts a login app for each store, with sessions of its own, and warms them up. */
async function withLogins<T>(
  run: BenchRun,
  [first, second]: readonly [string, string],
  measure: (logins: readonly [Child, Child]) => Promise<T>,
): Promise<T> {
  const { installation } = run
  const { folder, environment } = installation
  await using children = openChildren()
  const login = (url: string) => {
    const SESSION_STORE_URL = `sqlite:${join(folder, `stores-${started++}.db`)}`
    const env = { ...environment, USER_STORE_URL: url, SESSION_STORE_URL }
    return children.start(installation.loginApp(env))
  }
  const logins = [await login(first), await login(second)] as const
  await inRounds(1, run, 'Sign-ins, warm-up', async () => {
    for (const child of logins) await signInsPerSecond(installation, [child], FEW)
  })
  return await measure(logins)
}

let asked = 0

/** @throws UnexpectedAnswers for any wrong answer. */
async function signInsPerSecond(
  { password }: Installation,
  children: readonly Child[],
  viewers: number,
): Promise<number> {
  const untilMs = performance.now() + ROUND_MS
  const results = await allDone(
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
  for (const { statuses } of results) expectOnly([303], statuses)
  return results.reduce((sum, { statuses, elapsedSeconds }) => sum + (statuses.get(303) ?? 0) / elapsedSeconds, 0)
}
