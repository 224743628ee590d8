import { type Connection, openConnection } from './connection.ts'
import { allDone, CLOSED, UnexpectedAnswers } from './unexpected-answers.ts'

/** Makes the request with this number. The next round continues the numbers. */
export type MakeRequest = (index: number) => Buffer

export interface LoadResult {
  readonly elapsedSeconds: number
  /** The number of answers by status. CLOSED counts requests without an answer. */
  readonly statuses: ReadonlyMap<number, number>
}

export interface ClosedLoad {
  readonly port: number
  readonly connections: number
  readonly request: MakeRequest
  /** Called before each request. After false, the load ends when all answers have arrived. */
  readonly goesOn: (sent: number) => boolean
}

/** Sends as many requests as the server can take: each connection sends the next one after its last answer. */
export async function closedLoad({ port, connections, request, goesOn }: ClosedLoad): Promise<LoadResult> {
  const pool = await openPool(port, connections)
  const statuses = new Map<number, number>()
  const startedMs = performance.now()
  let sent = 0
  async function run(): Promise<void> {
    while (goesOn(sent)) {
      const status = await pool.exchange(request(sent++))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  try {
    await allDone(Array.from({ length: connections }, run))
    return { elapsedSeconds: (performance.now() - startedMs) / 1000, statuses }
  } finally {
    pool.close()
  }
}

export interface OpenLoad {
  readonly port: number
  readonly perSecond: number
  readonly durationMs: number
  readonly request: MakeRequest
}

export interface TimedAnswer {
  /** CLOSED without an answer. */
  readonly status: number
  /** The time of the answer since the start. */
  readonly atMs: number
  /** Measured from the time when the request was due, so that a late generator does not hide a slow answer. */
  readonly latencyMs: number
}

const TICK_MS = 2

/**
 * Sends at a fixed rate without waiting for answers, as a crowd does. Resolves after the last answer. Builds all
 * requests before, because the generator shares the cores with the server.
 */
export async function openLoad({ port, perSecond, durationMs, request }: OpenLoad): Promise<TimedAnswer[]> {
  const requests = Array.from({ length: Math.ceil((durationMs / 1000) * perSecond) }, (_, index) => request(index))
  const pool = await openPool(port, 0)
  const answers: TimedAnswer[] = []
  const running: Promise<void>[] = []
  const startedMs = performance.now()

  async function send(bytes: Buffer, dueMs: number): Promise<void> {
    const status = await pool.exchange(bytes)
    const atMs = performance.now() - startedMs
    answers.push({ status, atMs, latencyMs: atMs - dueMs })
  }
  function sendDue(): boolean {
    const nowMs = performance.now() - startedMs
    for (const bytes of requests.slice(running.length, Math.floor((nowMs / 1000) * perSecond) + 1)) {
      running.push(send(bytes, (running.length / perSecond) * 1000))
    }
    return running.length < requests.length
  }
  try {
    await new Promise<void>((resolve) => {
      const ticks = setInterval(() => {
        if (sendDue()) return
        clearInterval(ticks)
        resolve()
      }, TICK_MS)
    })
    await allDone(running)
    return answers
  } finally {
    pool.close()
  }
}

interface ConnectionPool {
  /** Sends over an idle connection, or over a new one. Resolves with the status, or CLOSED. */
  exchange(request: Buffer): Promise<number>
  close(): void
}

/** @param connections number of connections that are opened before. */
async function openPool(port: number, connections: number): Promise<ConnectionPool> {
  const idle = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const all = new Set<Connection>(idle)
  return {
    async exchange(request) {
      try {
        const connection = idle.pop() ?? (await openConnection(port))
        all.add(connection)
        const status = await connection.exchange(request)
        if (connection.isOpen()) {
          idle.push(connection)
        } else {
          connection.close()
          all.delete(connection)
        }
        return status
      } catch (error) {
        if (error instanceof UnexpectedAnswers) return CLOSED
        throw error
      }
    },
    close() {
      for (const connection of all) connection.close()
    },
  }
}
