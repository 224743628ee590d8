import { existsSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'

/** The resources that a server has used, as reported by itself. */
export interface Usage {
  /** User and system time of all its threads since it started, microseconds. */
  readonly cpuMicros: number
  /** User and system time of the main thread, which runs the JavaScript, microseconds. */
  readonly mainThreadMicros: number
  /** Time in which the main thread waited for a core, microseconds. 0 where the kernel does not say. */
  readonly mainThreadWaitedMicros: number
  readonly rssBytes: number
}

const SCHEDULER_FILE = '/proc/self/schedstat'

/**
 * Loaded before every measured server (`node --import`). The process reports its usage when its parent asks. Nothing
 * else changes, so the measured login app is the program of `npm start`.
 */
process.on('message', (question) => {
  const { user, system } = process.cpuUsage()
  const main = process.threadCpuUsage()
  const usage: Usage = {
    cpuMicros: user + system,
    mainThreadMicros: main.user + main.system,
    mainThreadWaitedMicros: waitedMicros(),
    rssBytes: process.memoryUsage.rss(),
  }
  process.send?.({ question, usage })
})
process.channel?.unref()

/** The kernel counts nanoseconds: run, waited. */
function waitedMicros(): number {
  if (!existsSync(SCHEDULER_FILE)) return 0
  return Number(readFileSync(SCHEDULER_FILE, 'utf8').split(' ')[1]) / 1000
}

/** Prints the start line of the login app's log, so that the parent waits for all children in the same way. */
export function sayStarted(server: Server): void {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : null
  process.stdout.write(`${JSON.stringify({ event: 'started', port })}\n`)
}
