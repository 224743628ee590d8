import type { DatabaseSync } from 'node:sqlite'
import type { HomeSection, RunningCompanion } from '../companion.ts'
import type { Seed } from '../seed/seed.ts'
import type { OpenServiceFeature } from '../service-feature.ts'
import type { SettableClock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { RequestLog } from './request-log.ts'

/** The parts of the emulator. The developer's pages show and change them. */
export interface EmulatorDeps {
  readonly database: DatabaseSync
  readonly clock: SettableClock
  /** Scheme, host and port of the service, without a slash at the end. */
  readonly publicUrl: string
  readonly seed: Seed
  readonly companions: readonly RunningCompanion[]
  readonly faults: Faults
  readonly requestLog: RequestLog
  readonly features: readonly OpenServiceFeature[]
  /** Refuses what the documents do not have. */
  readonly isStrict: boolean
  /** Frames of the player delegate local networks. */
  readonly delegatesLocalNetwork: boolean
  /** A section of the home page that says what to try. */
  readonly guide: HomeSection | undefined
  /** Restores the seed in all tables. */
  readonly resetDatabase: () => Promise<void>
  /** Called with internal errors. The response does not contain them. */
  readonly onError: (error: unknown) => void
}
