import { createCluster } from '@redis/client'
import type { RedisAddress, RedisNode } from './address.ts'
import {
  type ConnectionEvents,
  clientOptions,
  endOrTime,
  type RedisClient,
  type RedisConnection,
  WAIT_AT_START_MS,
} from './connection.ts'

type Cluster = ReturnType<typeof clusterFor>

const CHECK_EVERY_MS = 2_000
const RENEW_WITHIN_MS = 4_000
const SLOTS = 16_384

/**
 * Connects to all masters of a cluster. Checks every two seconds that all are connected. If not, asks the cluster which
 * servers it has now, because a replica may have taken over. Resolves as `connectToServer` does.
 */
export async function connectToCluster(address: RedisAddress, events: ConnectionEvents): Promise<RedisConnection> {
  let current = clusterFor(address, address.nodes)
  let isRenewing = false
  let isClosed = false

  async function renew(): Promise<void> {
    const next = clusterFor(address, [...address.nodes, ...current.masters])
    next.on('error', events.onFault).on('node-error', events.onFault)
    next.on('node-ready', () => {
      for (const server of serversOf(next)) if (server) events.onServer(server)
    })
    await endOrTime(RENEW_WITHIN_MS, connectAll(next))
    const isBetter = isComplete(next) || readyIn(next) > readyIn(current)
    if (isClosed || !isBetter) return destroy(next)
    const replaced = current
    current = next
    destroy(replaced)
  }
  async function renewIfIncomplete(): Promise<void> {
    if (isRenewing || isComplete(current)) return
    isRenewing = true
    await renew().catch(events.onFault)
    isRenewing = false
  }
  const timer = setInterval(() => void renewIfIncomplete(), CHECK_EVERY_MS)
  await endOrTime(WAIT_AT_START_MS, renewIfIncomplete())
  return {
    get commands() {
      return current
    },
    serverOf: (key) => current.slots[slotOf(key)]?.master.client,
    servers: () => serversOf(current),
    close() {
      isClosed = true
      clearInterval(timer)
      destroy(current)
    },
  }
}

function clusterFor(address: RedisAddress, nodes: readonly RedisNode[]) {
  return createCluster({
    rootNodes: nodes.map(({ host, port }) => ({ socket: { host, port } })),
    defaults: clientOptions(address),
    // Otherwise one server that is away would stop the use of all others.
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: false,
  })
}

async function connectAll(cluster: Cluster): Promise<void> {
  await cluster.connect()
  await Promise.all(cluster.masters.map((master) => cluster.nodeClient(master)))
}

function destroy(cluster: Cluster): void {
  cluster.removeAllListeners().on('error', () => {})
  cluster.destroy()
}

function serversOf({ masters }: Cluster): readonly (RedisClient | undefined)[] {
  return masters.map(({ client }) => client)
}

function readyIn(cluster: Cluster): number {
  return serversOf(cluster).filter((server) => server?.isReady).length
}

function isComplete(cluster: Cluster): boolean {
  return cluster.masters.length > 0 && readyIn(cluster) === cluster.masters.length
}

/**
 * Returns the slot of a key: CRC16 (XMODEM) of the key, or of the part in the first pair of braces if it is not empty.
 * Source: Redis Cluster Specification, "Key distribution model" and "Hash tags".
 */
export function slotOf(key: string): number {
  const [, tag = key] = /^[^{]*\{([^}]+)\}/.exec(key) ?? []
  let crc = 0
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
  }
  return (crc & 0xffff) % SLOTS
}
