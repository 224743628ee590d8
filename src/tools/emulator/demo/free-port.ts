import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { EmulatorStartError } from '../start-error.ts'

/**
 * Checks that a port is free on 127.0.0.1 and ::1. Browsers try both for `localhost`, so a program on the other address
 * would receive our requests.
 * @param port 0 picks any free port.
 * @param setting the name of the setting that chooses another port.
 * @returns the port.
 * @throws EmulatorStartError if the port is in use; names the port and the setting.
 */
export async function freePort(port: number, program: string, setting: string): Promise<number> {
  const found = await tryToListen(port, '127.0.0.1')
  const fault = found.ok ? await tryToListen(found.port, '::1') : found
  // A machine without IPv6 has no ::1.
  if (found.ok && (fault.ok || ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(fault.code))) return found.port
  const code = fault.ok ? '' : fault.code
  throw new EmulatorStartError(
    code === 'EADDRINUSE'
      ? `Port ${port} for ${program} is in use. Stop the other program, or set ${setting} to another port.`
      : `Cannot listen on port ${port} for ${program} (${code}). Set ${setting} to another port.`,
  )
}

type Listening = { ok: true; port: number } | { ok: false; code: string }

async function tryToListen(port: number, host: string): Promise<Listening> {
  const server = createServer()
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    return { ok: false, code: error instanceof Error && 'code' in error ? String(error.code) : String(error) }
  }
  const { port: taken } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return { ok: true, port: taken }
}
