import type { DatabaseSync } from 'node:sqlite'
import { Router } from 'express'
import type { Seed } from '../seed.ts'
import type { SettableClock } from './clock.ts'
import { controlRoutes } from './control.ts'
import type { Faults } from './faults.ts'
import { developerPages } from './pages.ts'
import type { RequestLog } from './request-log.ts'

export interface DeveloperDeps {
  readonly database: DatabaseSync
  readonly publicUrl: string
  readonly seed: Seed
  readonly clock: SettableClock
  readonly faults: Omit<Faults, 'inject'>
  readonly requestLog: Omit<RequestLog, 'record'>
  /** Puts everything in the database back to the seed. */
  readonly resetDatabase: () => Promise<void>
}

/** For whoever develops against the emulator: its page, and everything below `/emulator`. */
export function developerRoutes(deps: DeveloperDeps): Router {
  return Router().use(developerPages(deps)).use('/emulator', controlRoutes(deps))
}
