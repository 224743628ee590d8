import type { RequestHandler } from 'express'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { ClientFault } from '../../server/client-faults.ts'
import type { OpenCounters, OpenSessions } from '../../stores/store-kind.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { Outcomes } from './sign-in-log.ts'

/** The values of a feature that a watching feature reads. */
export interface WatchedFeature {
  /** Functions by the name of a store in the metrics. Each returns true while the store answers. */
  readonly storesInMetrics?: Readonly<Record<string, () => boolean>>
  /** @param registry of the metrics. */
  registerMetrics?(registry: never): void
}

/** The app, for a feature that watches it. */
export interface WatchedApp {
  readonly host: string
  readonly users: UserStore
  readonly sessions: OpenSessions
  readonly counters: OpenCounters
  readonly entryPoints: readonly EntryPoint[]
  /** The number of lost lines by log. */
  readonly linesDropped: () => Readonly<Record<string, number>>
  /** The outcomes of features. */
  readonly outcomes: Outcomes
  readonly features: readonly WatchedFeature[]
}

/** A feature that watches the app. The app calls it. */
export interface Watch {
  /**
   * @param outcome as in the log.
   * @param limit the limit that refused the sign-in.
   */
  countSignIn(outcome: string, entryPoint: string, limit?: string): void
  countClientFault(fault: ClientFault): void
  readonly timeRequests: RequestHandler
  /** Ports that are open, for the first line of the log. */
  readonly ports: Readonly<Record<string, number>>
  /** Called last, so that the last requests are seen. */
  close(): Promise<void>
}
