import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { Certificate } from './certificate.ts'

/** Ends TLS in front of a port of this machine, until the test ends. Returns the port for TLS. */
export async function startTls(port: number, { certificate, key }: Certificate): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer({ cert: certificate, key }, (outer) => {
    const inner = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      // A browser may leave at any time.
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
