import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** The state of a link. A change applies to open connections too. */
export type LinkState =
  | { readonly kind: 'sound' }
  /** Delays every part of an answer. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Answers whatever the client sends with these bytes. */
  | { readonly kind: 'garbage'; readonly bytes: Buffer }
  /** Resets the open connections, and each new one at its first byte. */
  | { readonly kind: 'resetting' }

export interface FaultyLink {
  readonly port: number
  become(state: LinkState): void
}

/** Opens a port of 127.0.0.1 that forwards connections to a port of this machine, until the test ends. */
export async function openLink(targetPort: number): Promise<FaultyLink> {
  let state: LinkState = { kind: 'sound' }
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    forward(client, connect(targetPort, 'localhost'), () => state)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    for (const client of clients) client.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    become(next) {
      state = next
      if (next.kind === 'resetting') for (const client of clients) client.resetAndDestroy()
    },
  }
}

function forward(client: Socket, target: Socket, stateNow: () => LinkState): void {
  let answered: Promise<unknown> = Promise.resolve()
  client.on('error', () => {}).on('close', () => target.destroy())
  target.on('error', () => {}).on('close', () => void answered.then(() => client.end()))
  client.on('data', (part) => {
    const state = stateNow()
    if (state.kind === 'resetting') client.resetAndDestroy()
    else if (state.kind === 'garbage') client.write(state.bytes)
    else target.write(part)
  })
  target.on('data', (part) => {
    const state = stateNow()
    const delay = state.kind === 'slow' ? sleep(state.delayMs) : undefined
    // Keeps the order of the parts.
    answered = Promise.all([answered, delay]).then(() => {
      if (!client.destroyed) client.write(part)
    })
  })
}
