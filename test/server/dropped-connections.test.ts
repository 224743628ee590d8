import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { logDroppedConnections } from '../../src/server/dropped-connections.ts'
import { createHttpServer, listen, stopServer } from '../../src/server/http-server.ts'
import { openLog } from '../../src/server/log/log.ts'
import { createRepeatFilter } from '../../src/server/log/repeat-filter.ts'

test('connections above the limit have one line and a sum for their network', async () => {
  const lines: unknown[] = []
  const repeatFilter = createRepeatFilter()
  const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const server = createHttpServer((_req, res) => void res.end())
  server.maxConnections = 1
  logDroppedConnections(server, { log, repeatFilter, networkOf: (address) => address })
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => stopServer(server, 0))
  const kept = connect(port, '127.0.0.1')
  onTestFinished(() => void kept.destroy())
  await once(kept, 'connect')
  await Promise.all(Array.from({ length: 10 }, () => once(connect(port, '127.0.0.1').resume(), 'close')))
  repeatFilter.end()
  expect(lines).toMatchObject([
    { event: 'connection-dropped', address: '127.0.0.1' },
    { event: 'connection-dropped', address: '127.0.0.1', more: 9 },
  ])
})
