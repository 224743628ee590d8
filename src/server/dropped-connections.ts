import type { Server } from 'node:net'
import type { Logger } from 'pino'
import type { RepeatFilter, RepeatSum } from './log/repeat-filter.ts'

export interface DroppedConnectionsDeps {
  readonly log: Pick<Logger, 'warn'>
  readonly repeatFilter: RepeatFilter
  readonly networkOf: (address: string) => string
}

/** Logs connections that Node closes at once, because too many are open: one line a minute and network, and a sum. */
export function logDroppedConnections(server: Server, { log, repeatFilter, networkOf }: DroppedConnectionsDeps): void {
  const event = 'connection-dropped'
  const kind = { key: event, writeSum: (sum: RepeatSum) => log.warn({ event, ...sum }) }
  server.on('drop', (connection) => {
    const address = connection?.remoteAddress ?? ''
    if (repeatFilter.isNew(kind, networkOf(address))) log.warn({ event, address })
  })
}
