import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { DemoError } from './demo-error.ts'

/**
 * Makes sure that a port of this machine is free, on both addresses that browsers try for `localhost`: a program on the
 * other one would be reached in place of ours.
 * @param port 0 takes any free one.
 * @param setting the name of the setting that chooses another.
 * @returns the port, free a moment ago.
 * @throws DemoError with a sentence that names the port and the setting.
 */
export async function freePort(port: number, program: string, setting: string): Promise<number> {
  const found = await tryToListen(port, '127.0.0.1')
  const fault = found.ok ? await tryToListen(found.port, '::1') : found
  // A machine without IPv6 has no such address that could be taken.
  if (found.ok && (fault.ok || ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(fault.code))) return found.port
  const code = fault.ok ? '' : fault.code
  const why = code === 'EADDRINUSE' ? 'another program is using it' : `the system refuses it (${code})`
  throw new DemoError(
    `Port ${port} for ${program} is not free: ${why}. Stop that program, or choose another port with ${setting}.`,
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
