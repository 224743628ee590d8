import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EmulatorStartError } from '../companion.ts'

/**
 * Starts to listen on a loopback address.
 * @param port 0 picks a free port.
 * @param setting the name of the setting that chooses another port.
 * @returns the port.
 * @throws EmulatorStartError with the system's error as its cause.
 */
export async function listen(server: Server, port: number, host: string, setting: string): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause
    throw new EmulatorStartError(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use. Stop the other program, or set ${setting} to another port.`
        : `Cannot listen on ${host} port ${port} (${String(code)}). Set EMULATOR_HOST or ${setting} to another value.`,
      { cause },
    )
  }
  return (server.address() as AddressInfo).port
}

/** Stops listening and cuts off all connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
