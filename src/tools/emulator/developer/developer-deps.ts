import type { DatabaseSync } from 'node:sqlite'
import type { Seed } from '../seed/seed.ts'
import type { RunningProvider } from '../sso/start-provider.ts'
import type { ServiceKeys } from '../token/service-keys.ts'
import type { SettableClock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { RequestLog } from './request-log.ts'

/** The part of an identity provider that the home page and `/emulator/seed` show. */
export type ShownProvider = Pick<RunningProvider, 'issuer' | 'clients' | 'people'>

/** The parts of the emulator that the developer's pages show and change. */
export interface DeveloperDeps {
  readonly database: DatabaseSync
  /** Scheme, host and port, without a slash at the end. */
  readonly publicUrl: string
  readonly seed: Seed
  readonly provider: ShownProvider | null
  readonly isStrict: boolean
  readonly serviceKeys: ServiceKeys
  readonly clock: SettableClock
  readonly faults: Omit<Faults, 'inject'>
  readonly requestLog: Omit<RequestLog, 'record'>
  /** Restores the seed in all tables. */
  readonly resetDatabase: () => Promise<void>
}
