import type { Faults } from './developer/faults.ts'
import type { ProgramSettings } from './developer/program-settings.ts'
import type { RequestLog } from './developer/request-log.ts'
import type { Seed } from './seed/seed.ts'

/** The emulator or the demo could not start. The message is a sentence for the terminal. */
export class EmulatorStartError extends Error {
  override readonly name = 'EmulatorStartError'
}

/** Writes an internal error on standard error. */
export function writeError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}

/** A server that runs beside the emulated service, for a feature of the login app. */
export interface Companion {
  readonly name: string
  /** The setting with its port. The emulator starts the companion only if it is set. */
  readonly portSetting: string
  /** Its port in the demo, if the setting is missing; 0 picks a free port. */
  readonly demoPort: number
  /** False in a production install, if its package is for development. */
  isInstalled(): boolean
  /** @throws EmulatorStartError if it is not installed, or its port is in use. */
  start(options: { readonly port: number; readonly loginUrl: string }, deps: CompanionDeps): Promise<RunningCompanion>
}

export interface CompanionOptions {
  /** A port for each companion that starts, by its name. 0 picks a free port. */
  readonly ports: Readonly<Record<string, number>>
  /** The login app that they work with. */
  readonly loginUrl: string
}

/** A section of the home page: a template, and the data for it. */
export interface HomeSection {
  readonly view: string
  readonly data: object
}

/** What the emulator shares with it. */
export interface CompanionDeps {
  readonly seed: Seed
  readonly faults: Faults
  readonly requestLog: RequestLog
  readonly onError: (error: unknown) => void
}

export interface RunningCompanion {
  /** Its name and address, for the terminal. */
  readonly introduction: string
  /** The settings with which the login app works with it. */
  readonly settings: ProgramSettings
  /** What `/emulator/seed` shows of it. */
  readonly seed: object
  readonly section: HomeSection
  close(): Promise<void>
}
