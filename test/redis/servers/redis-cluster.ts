import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../servers/free-port.ts'
import { openOperator, type RedisOptions, type RedisServer, redisAddress, startRedis } from './redis.ts'

const REDIS_CLI = '/usr/bin/redis-cli'
/** After this long without an answer, the others take a server for dead. */
const NODE_TIMEOUT_MS = 1_000
const REPLICATION_TIMEOUT_MS = 1_000

export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>

export interface ClusterOptions extends RedisOptions {
  /** Replicas for each of the three masters. */
  readonly replicas?: number
}

/** Starts a real Redis Cluster of three masters on free ports of 127.0.0.1. */
export async function startRedisCluster({ replicas = 0, ...options }: ClusterOptions = {}) {
  const count = 3 * (1 + replicas)
  const servers = await Promise.all(Array.from({ length: count }, () => startNode(options)))
  const tls = options.tls === undefined ? [] : ['--tls', '--insecure']
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', String(replicas), '--cluster-yes']
  const env = { ...process.env, ...(options.password === undefined ? {} : { REDISCLI_AUTH: options.password }) }
  await promisify(execFile)(REDIS_CLI, [...tls, ...create], { env })
  const masters = await Promise.all(servers.slice(0, 3).map(openOperator))
  while (!(await Promise.all(masters.map((master) => master.clusterInfo()))).every(isWhole)) await sleep(20)
  const keysOf = (master: (typeof masters)[number]) => master.keys('*')
  return {
    url: (servers[0]?.url ?? '').replace('://', '-cluster://'),
    servers,
    flush: async () => void (await Promise.all(masters.map((master) => master.flushDb()))),
    keys: async () => (await Promise.all(masters.map(keysOf))).flat().toSorted(),
    /** Shortens the life of every key. */
    async makeOlder(ms: number) {
      for (const master of masters) {
        const age = async (key: string) => await master.pExpire(key, (await master.pTTL(key)) - ms)
        await Promise.all((await keysOf(master)).map(age))
      }
    },
    /** Waits until a replica of each master has all keys. */
    async untilReplicated() {
      for (const master of masters) while ((await master.wait(1, REPLICATION_TIMEOUT_MS)) === 0) await sleep(20)
    },
    async remove() {
      for (const master of masters) master.destroy()
      await Promise.all(servers.map((server) => server.remove()))
    },
  }
}

function isWhole(info: string): boolean {
  return info.includes('cluster_state:ok')
}

async function startNode(options: RedisOptions): Promise<RedisServer> {
  const { password, tls, more = [] } = options
  const busPort = String(await freePort())
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', busPort]
  return await startRedis({
    ...options,
    more: [
      ...[...cluster, '--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
      ...(tls === undefined ? [] : ['--tls-cluster', 'yes', '--tls-replication', 'yes']),
      ...(password === undefined ? [] : ['--masterauth', password]),
      ...more,
    ],
  })
}

/** The address of the cluster, for src/redis/link.ts. */
export function clusterAddress({ servers }: RedisCluster, authority: string | null = null) {
  const [seed = { url: '' }] = servers
  return { ...redisAddress(seed, authority), isCluster: true }
}
