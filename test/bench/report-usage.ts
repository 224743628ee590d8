import type { Server } from 'node:http'

/** What a server has used, as it says itself. */
export interface Usage {
  /** User and system time of all its threads since it started, microseconds. */
  readonly cpuMicros: number
  readonly rssBytes: number
}

/**
 * Loaded before every server under measurement (`node --import`): asked by its parent, the process says what it has
 * used. Nothing else in it changes, so the login app is the program that `npm start` starts.
 */
process.on('message', (question) => {
  const { user, system } = process.cpuUsage()
  const usage: Usage = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() }
  process.send?.({ question, usage })
})
process.channel?.unref()

/** In the words of the login app's log, so that all children are waited for alike. */
export function sayStarted(server: Server): void {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : null
  process.stdout.write(`${JSON.stringify({ event: 'started', port })}\n`)
}
