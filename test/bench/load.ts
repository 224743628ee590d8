import { type Connection, openConnection } from './connection.ts'

/** The request with this number; numbers go on from round to round. */
export type MakeRequest = (index: number) => Buffer

export interface LoadResult {
  readonly elapsedSeconds: number
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>
}

export interface ClosedLoad {
  readonly port: number
  readonly connections: number
  readonly request: MakeRequest
  /** Asked before each request: the load ends when it says no and all answers are here. */
  readonly goesOn: (sent: number) => boolean
}

/** Each connection sends its next request when it has the answer to the last: as many as the server can take. */
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
  /** When it was here, since the start. */
  readonly atMs: number
  /** From the moment at which the request was due, so that a generator that lags does not hide a slow answer. */
  readonly latencyMs: number
}

const TICK_MS = 2

/** Sends at its own pace, whatever the answers do: what a crowd does. Resolves when all answers are here. */
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
