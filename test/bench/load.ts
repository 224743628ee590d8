import { type Connection, openConnection } from './connection.ts'

/** Makes the request with this number. The next round continues the numbers. */
export type MakeRequest = (index: number) => Buffer

export interface LoadResult {
  readonly elapsedSeconds: number
  /** The number of answers by status. */
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
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const statuses = new Map<number, number>()
  const startedMs = performance.now()
  let sent = 0
  async function run(connection: Connection): Promise<void> {
    while (goesOn(sent)) {
      const status = await connection.exchange(request(sent++))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  try {
    await Promise.all(opened.map(run))
    return { elapsedSeconds: (performance.now() - startedMs) / 1000, statuses }
  } finally {
    for (const connection of opened) connection.close()
  }
}

export interface OpenLoad {
  readonly port: number
  readonly perSecond: number
  readonly durationMs: number
  readonly request: MakeRequest
}

export interface TimedAnswer {
  readonly status: number
  /** The time of the answer since the start. */
  readonly atMs: number
  /** Measured from the time when the request was due, so that a late generator does not hide a slow answer. */
  readonly latencyMs: number
}

const TICK_MS = 2

/** Sends at a fixed rate without waiting for answers, as a crowd does. Resolves after the last answer. */
export async function openLoad({ port, perSecond, durationMs, request }: OpenLoad): Promise<TimedAnswer[]> {
  const idle: Connection[] = []
  const all: Connection[] = []
  const answers: TimedAnswer[] = []
  const running: Promise<void>[] = []
  const startedMs = performance.now()

  async function send(index: number, dueMs: number): Promise<void> {
    let connection = idle.pop()
    if (connection === undefined) {
      connection = await openConnection(port)
      all.push(connection)
    }
    const status = await connection.exchange(request(index))
    const atMs = performance.now() - startedMs
    answers.push({ status, atMs, latencyMs: atMs - dueMs })
    idle.push(connection)
  }
  function sendDue(): boolean {
    const nowMs = performance.now() - startedMs
    const due = Math.floor((Math.min(nowMs, durationMs) / 1000) * perSecond)
    while (running.length < due) running.push(send(running.length, (running.length / perSecond) * 1000))
    return nowMs < durationMs
  }
  try {
    await new Promise<void>((resolve) => {
      const ticks = setInterval(() => {
        if (sendDue()) return
        clearInterval(ticks)
        resolve()
      }, TICK_MS)
    })
    await Promise.all(running)
    return answers
  } finally {
    for (const connection of all) connection.close()
  }
}
