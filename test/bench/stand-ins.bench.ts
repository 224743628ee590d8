import { startRedis } from '../redis/servers/redis.ts'
import { startRedisCluster } from '../redis/servers/redis-cluster.ts'
import { startPgBouncer } from '../users/postgres/pgbouncer.ts'
import { startPostgres } from '../users/postgres/server.ts'
import { type BenchPart, type BenchRun, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared } from './bench-row.ts'
import { openChildren } from './child.ts'
import { type Contestant, cpuRace, raceRequests } from './cpu-race.ts'
import { importViewers } from './many-viewers.ts'
import { returning } from './session-list.ts'

/** As many as one copy has by itself. */
const SERVER_CONNECTIONS = 10
const WARM_UP_REQUESTS = 8_000

/** Measures what a return costs with a Redis Cluster in place of one Redis, and with PgBouncer before PostgreSQL. */
export const standIns: BenchPart = {
  name: 'stand-ins',
  expectedSeconds: 60,
  async *rows(run) {
    yield* unlessFailed('Returns with a cluster and a pool', () => returnRows(run))
  },
}

async function returnRows(run: BenchRun): Promise<BenchRow[]> {
  const [redis, cluster, postgres] = await Promise.all([startRedis(), startRedisCluster(), startPostgres()])
  const bouncer = await startPgBouncer(postgres, SERVER_CONNECTIONS)
  try {
    const database = await postgres.createDatabase()
    const direct = { users: postgres.url({ database }), sessions: redis.url }
    await importViewers(run.installation, direct.users)
    return await raced(run, {
      direct,
      cluster: { ...direct, sessions: cluster.url },
      pool: { users: bouncer.url(database), sessions: `${redis.url}/1` },
    })
  } finally {
    await Promise.all([redis.remove(), cluster.remove(), bouncer.stop().then(postgres.stop)])
  }
}

interface Addresses {
  readonly users: string
  readonly sessions: string
}

async function raced(run: BenchRun, addresses: Readonly<Record<'direct' | 'cluster' | 'pool', Addresses>>) {
  const { addSessions, environment, loginApp } = run.installation
  await using children = openChildren()
  async function contestantOf({ users, sessions: url }: Addresses): Promise<Contestant> {
    const env = { ...environment, USER_STORE_URL: users, SESSION_STORE_URL: url, LIMITS_STORE_URL: url }
    const sessions = await addSessions(raceRequests(WARM_UP_REQUESTS), env)
    const request = returning('__Host-viewer', sessions, environment.SESSION_SECRET ?? '')
    return { child: await children.start(loginApp(env)), request, status: 303 }
  }
  const contestants = {
    direct: await contestantOf(addresses.direct),
    cluster: await contestantOf(addresses.cluster),
    pool: await contestantOf(addresses.pool),
  }
  const rounds = await cpuRace(run, 'Returning viewer with stand-ins', contestants, WARM_UP_REQUESTS)
  const rowOf = (name: string, of: 'cluster' | 'pool'): BenchRow => ({
    name,
    unit: 'µs CPU per request',
    ...compared(
      rounds,
      (round) => round[of],
      ({ direct }) => direct,
    ),
  })
  return [
    rowOf('GET / of a returning viewer, Redis Cluster of three against one Redis', 'cluster'),
    rowOf('GET / of a returning viewer, PgBouncer against PostgreSQL itself', 'pool'),
  ]
}
