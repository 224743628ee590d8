import type { RunningEmulator } from '../start-emulator.ts'
import type { DemoLocks } from './locks.ts'

/** The demo when it runs. */
export interface StartedDemo {
  readonly emulator: RunningEmulator
  readonly locks: DemoLocks
  /** The origin of the customer's pages. */
  readonly pageOrigin: string
}

/** Settings that entry points of the demo share. */
export interface SharedSettings {
  readonly playerOrigins: readonly string[] | undefined
  readonly brand: object
  /** Those of a player that takes a hash. */
  readonly hash: object
}

/** What the demo shows of a feature that a fork may delete. */
export interface DemoFeature {
  /** Its settings at the entry point of the seeded locks. */
  readonly ofDefault?: object
  /** Its entry point, if it has one of its own here. */
  entryPoint?(demo: Pick<StartedDemo, 'emulator' | 'locks'>, shared: SharedSettings): object | null
  /** Says how to try it. */
  introduction(demo: StartedDemo): readonly string[]
}
