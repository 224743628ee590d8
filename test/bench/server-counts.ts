import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import type { BenchRow } from './bench-row.ts'
import { cpuMicros, type Side, type Sides, type Work } from './sides.ts'

/** The counters of both servers. */
export interface Counts {
  redisMicros(): Promise<number>
  redisBytes(): Promise<number>
  /** Without those of an idle connection. The commands inside a script count too. */
  redisCommands(): Promise<number>
  redisClients(): Promise<number>
  postgresTransactions(): Promise<number>
  postgresClients(): Promise<number>
  close(): void
}

type Query = (sql: string, values?: readonly unknown[]) => Promise<{ readonly rows: readonly { value: unknown }[] }>

export async function openCounts(redisUrl: string, query: Query, database: string): Promise<Counts> {
  const client = await createClient({ url: redisUrl }).connect()
  const info = async (field: string) =>
    Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(String(await client.info('everything')))?.[1] ?? Number.NaN)
  const value = async (sql: string) => Number((await query(sql, [database])).rows[0]?.value)
  return {
    redisMicros: async () => ((await info('used_cpu_sys')) + (await info('used_cpu_user'))) * 1e6,
    redisBytes: () => info('used_memory'),
    redisCommands: async () => {
      const stats = String(await client.info('commandstats'))
      const calls = [...stats.matchAll(/^cmdstat_(?!ping|info|config|client|hello)[^:]+:calls=(\d+)/gm)]
      return calls.reduce((sum, [, count]) => sum + Number(count), 0)
    },
    redisClients: () => info('connected_clients'),
    // The counters of a connection are written a second after its last work.
    postgresTransactions: () => value('SELECT xact_commit AS value FROM pg_stat_database WHERE datname = $1'),
    postgresClients: () => value('SELECT numbackends AS value FROM pg_stat_database WHERE datname = $1'),
    close: () => client.destroy(),
  }
}

const WRITTEN_MS = 1_500

/** What one viewer asks of both servers. Redis works without viewers too: its idle CPU time does not count. */
export async function askedRows(
  what: string,
  servers: Counts,
  side: Side,
  work: Work,
  from: number,
): Promise<BenchRow[]> {
  const read = async () => {
    await sleep(WRITTEN_MS)
    return {
      atMs: performance.now(),
      micros: await servers.redisMicros(),
      transactions: await servers.postgresTransactions(),
      bytes: await servers.redisBytes(),
      commands: await servers.redisCommands(),
    }
  }
  const idle = await read()
  const before = await read()
  await cpuMicros(side, work, from, work.count)
  const after = await read()
  const each = (figure: keyof typeof before) => (after[figure] - before[figure]) / work.count
  const idleMicros = ((before.micros - idle.micros) / (before.atMs - idle.atMs)) * each('atMs')
  return [
    { name: `CPU of Redis for ${what}`, unit: 'µs', value: Math.max(0, each('micros') - idleMicros) },
    { name: `Redis commands of ${what}`, unit: 'commands', value: each('commands') },
    { name: `PostgreSQL transactions of ${what}`, unit: 'transactions', value: each('transactions') },
    { name: `Memory of Redis for ${what}`, unit: 'bytes', value: each('bytes') },
  ]
}

/** @param when idle or busy: the pool closes what is idle for 30 seconds. */
export async function connectionRows(sides: Sides, servers: Counts, when: string): Promise<BenchRow[]> {
  const copies = [...sides.values()].flat().length
  const ofBench = 1
  const redis = ((await servers.redisClients()) - ofBench) / copies
  const postgres = (await servers.postgresClients()) / copies
  return [
    { name: `Redis connections of a copy, ${when}`, unit: 'connections', value: redis },
    { name: `PostgreSQL connections of a copy, ${when}`, unit: 'connections', value: postgres },
  ]
}
