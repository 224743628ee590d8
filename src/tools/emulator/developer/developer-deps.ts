import type { DatabaseSync } from 'node:sqlite'
import type { RunningCompanion } from '../companion.ts'
import type { Seed, SeedAccount } from '../seed/seed.ts'
import type { OpenServiceFeature } from '../service-feature.ts'
import type { SettableClock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { RequestLog } from './request-log.ts'

/** The parts of the emulator that the developer's pages show and change. */
export interface DeveloperDeps {
  readonly database: DatabaseSync
  /** Scheme, host and port, without a slash at the end. */
  readonly publicUrl: string
  readonly seed: Seed
  readonly companions: readonly RunningCompanion[]
  readonly isStrict: boolean
  readonly features: readonly OpenServiceFeature[]
  readonly clock: SettableClock
  readonly faults: Omit<Faults, 'inject'>
  readonly requestLog: Omit<RequestLog, 'record'>
  readonly moreAccounts: () => readonly SeedAccount[]
  /** Restores the seed in all tables. */
  readonly resetDatabase: () => Promise<void>
}
