import { createServer } from 'node:http'
import { isIPv6 } from 'node:net'
import {
  type CompanionOptions,
  EmulatorStartError,
  type HomeSection,
  type RunningCompanion,
  writeError,
} from './companion.ts'
import { openDatabase } from './database.ts'
import { settableClock } from './developer/clock.ts'
import { openFaults } from './developer/faults.ts'
import { openRequestLog } from './developer/request-log.ts'
import { createEmulatorApp } from './emulator-app.ts'
import { closeServer, listen } from './http/listen.ts'
import { closeCompanions, startCompanions } from './running-companions.ts'
import { openSeed, resetToSeed, type SeedOptions } from './seed/open-seed.ts'
import type { Seed } from './seed/seed.ts'
import { SERVICE_FEATURES } from './service-features.ts'

/** Length of the RSA keys in the service's documentation. Generated at the first request for them. */
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
  /** The frames of the player may ask the viewer for local networks. */
  readonly delegatesLocalNetwork?: boolean
  /** Length of the service's RSA keys: 2048 by default, because 4096 takes seconds to generate. */
  readonly serviceKeyBits?: number
  /** A section of the home page that says what to try. */
  readonly guide?: HomeSection
  /** Also starts companions. */
  readonly companions?: CompanionOptions
  /** Called with internal errors. By default they go to standard error. */
  readonly onError?: (error: unknown) => void
}

export interface RunningEmulator {
  /** Scheme, host and port, without a slash at the end. */
  readonly url: string
  readonly port: number
  readonly seed: Seed
  readonly companions: readonly RunningCompanion[]
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
  delegatesLocalNetwork = false,
  serviceKeyBits = 2048,
  guide,
  companions: companionOptions,
  onError = writeError,
}: EmulatorOptions): Promise<RunningEmulator> {
  const database = openDataFile(dataFile)
  const clock = settableClock(nowSeconds)
  const shared = { faults: openFaults(), requestLog: openRequestLog(clock.nowSeconds) }
  const server = createServer()
  let companions: readonly RunningCompanion[] = []
  try {
    const seed = await openSeed(database, seedOptions, clock.nowSeconds())
    if (companionOptions) companions = await startCompanions(companionOptions, { seed, onError, ...shared })
    const takenPort = await listen(server, port, host, 'EMULATOR_PORT')
    const url = `http://${isIPv6(host) ? `[${host}]` : host}:${takenPort}`
    const resetDatabase = () => resetToSeed(database, seed, seedOptions, Math.floor(nowSeconds()))
    // A delayed request can outlive the emulator, and then finds its database closed.
    const report = (error: unknown) => void (database.isOpen && onError(error))
    const featureDeps = { database, nowSeconds: clock.nowSeconds, publicUrl: url, keyBits: serviceKeyBits }
    const deps = {
      database,
      clock,
      publicUrl: url,
      seed,
      companions,
      features: SERVICE_FEATURES.map((feature) => feature.open(featureDeps)),
      isStrict,
      delegatesLocalNetwork,
      guide,
      resetDatabase,
      onError: report,
      ...shared,
    }
    server.on('request', createEmulatorApp(deps))
    const close = async () => {
      await Promise.all([closeServer(server), closeCompanions(companions)])
      database.close()
    }
    return { url, port: takenPort, seed, companions, close }
  } catch (error) {
    await closeCompanions(companions)
    database.close()
    throw error
  }
}

function openDataFile(dataFile: string) {
  try {
    return openDatabase(
      dataFile,
      SERVICE_FEATURES.map(({ tables }) => tables),
    )
  } catch (cause) {
    throw new EmulatorStartError(
      `Cannot open the emulator's data file ${dataFile}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    )
  }
}
