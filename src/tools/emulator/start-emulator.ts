import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { dirname } from 'node:path'
import { openDatabase } from './database.ts'
import { settableClock } from './developer/clock.ts'
import { type Faults, openFaults } from './developer/faults.ts'
import { openRequestLog, type RequestLog } from './developer/request-log.ts'
import { createEmulatorApp, ROOM_TABLES } from './emulator-app.ts'
import { closeServer, createLoopbackServer, listen } from './http/listen.ts'
import { openSeed, resetToSeed, type SeedOptions } from './seed/open-seed.ts'
import type { Seed } from './seed/seed.ts'
import { type RunningProvider, startProvider } from './sso/start-provider.ts'
import { EmulatorStartError } from './start-error.ts'
import { openServiceKeys } from './token/service-keys.ts'

/** Length of the keys in the service's documentation. Generated at the first request for them. */
export const SERVICE_KEY_BITS = 4096

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
  /** Length of the service's keys for viewer tokens: 2048 by default, because 4096 takes seconds to generate. */
  readonly serviceKeyBits?: number
  /** Also starts an identity provider, with the login app at `loginUrl` as its client. */
  readonly provider?: { readonly port: number; readonly loginUrl: string }
  /** Called with internal errors. By default they go to standard error. */
  readonly onError?: (error: unknown) => void
}

export interface RunningEmulator {
  /** Scheme, host and port, without a slash at the end. */
  readonly url: string
  readonly port: number
  readonly seed: Seed
  readonly provider: RunningProvider | null
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
  serviceKeyBits = 2048,
  provider: providerOptions,
  onError = writeError,
}: EmulatorOptions): Promise<RunningEmulator> {
  const database = openDataFile(dataFile)
  const clock = settableClock(nowSeconds)
  const shared = { faults: openFaults(), requestLog: openRequestLog(clock.nowSeconds) }
  const serviceKeys = openServiceKeys({ database, nowSeconds: clock.nowSeconds, keyBits: serviceKeyBits })
  const server = createLoopbackServer()
  let provider: RunningProvider | null = null
  try {
    const seed = await openSeed(database, seedOptions, clock.nowSeconds())
    if (providerOptions) provider = await startOwnProvider(providerOptions, seed, shared, onError)
    const takenPort = await listen(server, port, host, 'EMULATOR_PORT')
    const url = `http://${isIPv6(host) ? `[${host}]` : host}:${takenPort}`
    const resetDatabase = () => resetToSeed(database, seed, seedOptions, Math.floor(nowSeconds()))
    // A delayed request can outlive the emulator, and then finds its database closed.
    const report = (error: unknown) => void (database.isOpen && onError(error))
    const deps = {
      database,
      clock,
      publicUrl: url,
      seed,
      provider,
      serviceKeys,
      isStrict,
      resetDatabase,
      onError: report,
      ...shared,
    }
    server.on('request', createEmulatorApp(deps))
    const close = async () => {
      await Promise.all([closeServer(server), provider?.close()])
      database.close()
    }
    return { url, port: takenPort, seed, provider, close }
  } catch (error) {
    await provider?.close()
    database.close()
    throw error
  }
}

/** Starts the provider. The secret of its client depends on the seed, so that it survives a restart. */
function startOwnProvider(
  { port, loginUrl }: { port: number; loginUrl: string },
  { clients }: Seed,
  { faults, requestLog }: { faults: Faults; requestLog: RequestLog },
  onError: (error: unknown) => void,
): Promise<RunningProvider> {
  const { origin } = new URL(loginUrl)
  const client = {
    clientId: 'login-app',
    secret: createHash('sha256').update(`provider ${clients[0]?.client_secret}`).digest('hex'),
    redirectUris: [`${origin}/sso/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    backchannelLogoutUri: `${origin}/sso/logout`,
  }
  return startProvider({ port, clients: [client], faults, record: requestLog.record, onError })
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

function writeError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
