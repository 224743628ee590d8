import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { dirname } from 'node:path'
import { openDatabase } from './database.ts'
import { settableClock } from './developer/clock.ts'
import { createEmulatorApp, ROOM_TABLES } from './emulator-app.ts'
import { openSeed, resetToSeed, type SeedOptions } from './seed/open-seed.ts'
import type { Seed } from './seed/seed.ts'
import { EmulatorStartError } from './start-error.ts'

export interface EmulatorOptions {
  /** 0 picks a free port. */
  readonly port: number
  readonly host?: string
  /** A path or ":memory:". A missing folder is created. */
  readonly dataFile?: string
  /** UNIX time in seconds, before the shift of `/emulator/clock`. */
  readonly nowSeconds?: () => number
  readonly seed?: SeedOptions
  /** Refuses what the documents do not have; the request log names it in any case. */
  readonly isStrict?: boolean
  /** Called with internal errors. By default they go to standard error. */
  readonly onError?: (error: unknown) => void
}

export interface RunningEmulator {
  /** Scheme, host and port, without a slash at the end. */
  readonly url: string
  readonly port: number
  readonly seed: Seed
  close(): Promise<void>
}

/**
 * Starts the emulated video service on a loopback address.
 * @throws EmulatorStartError if the port is in use, the data file cannot be opened, or it has another seed.
 */
export async function startEmulator({
  port,
  host = '127.0.0.1',
  dataFile = ':memory:',
  nowSeconds = () => Date.now() / 1000,
  seed: seedOptions = {},
  isStrict = false,
  onError = writeError,
}: EmulatorOptions): Promise<RunningEmulator> {
  const database = openDataFile(dataFile)
  const clock = settableClock(nowSeconds)
  try {
    const seed = await openSeed(database, seedOptions, clock.nowSeconds())
    const server = createServer({ connectionsCheckingInterval: 2_000, headersTimeout: 10_000, requestTimeout: 15_000 })
    const takenPort = await listen(server, port, host)
    const url = `http://${isIPv6(host) ? `[${host}]` : host}:${takenPort}`
    const resetDatabase = () => resetToSeed(database, seed, seedOptions, Math.floor(nowSeconds()))
    // A delayed request can outlive the emulator, and then finds its database closed.
    const report = (error: unknown) => void (database.isOpen && onError(error))
    const app = createEmulatorApp({ database, clock, publicUrl: url, seed, isStrict, resetDatabase, onError: report })
    server.on('request', app)
    const close = async () => {
      await closeServer(server)
      database.close()
    }
    return { url, port: takenPort, seed, close }
  } catch (error) {
    database.close()
    throw error
  }
}

function openDataFile(dataFile: string) {
  try {
    if (dataFile !== ':memory:') mkdirSync(dirname(dataFile), { recursive: true })
    return openDatabase(dataFile, ROOM_TABLES)
  } catch (cause) {
    throw new EmulatorStartError(
      `Cannot open the emulator's data file ${dataFile}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    )
  }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause
    throw new EmulatorStartError(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use. Stop the other program, or set EMULATOR_PORT to another port.`
        : `Cannot listen on ${host} port ${port} (${String(code)}). Set EMULATOR_HOST or EMULATOR_PORT to another value.`,
      { cause },
    )
  }
  return (server.address() as AddressInfo).port
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

function writeError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
