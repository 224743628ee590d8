import type { RequestHandler } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { ClientFault } from '../server/client-faults.ts'
import type { OpenCounters, OpenSessions } from '../stores/store-kind.ts'
import type { UserStore } from '../users/user-store.ts'
import type { Outcomes } from './log/sign-in-log.ts'
import type { OpenPart } from './service.ts'

/** The app, for a feature that watches it. */
export interface WatchedApp {
  readonly host: string
  readonly users: UserStore
  readonly sessions: OpenSessions
  readonly counters: OpenCounters
  readonly entryPoints: readonly EntryPoint[]
  /** The number of lost lines by log. */
  readonly linesDropped: () => Readonly<Record<string, number>>
  /** The outcomes of all features. */
  readonly outcomes: Outcomes
  /** The open features and services. */
  readonly parts: readonly OpenPart[]
}

/** A feature that watches the app. The app calls it. */
export interface Watch {
  /** @param outcome as in the log. @param limit the limit that refused the sign-in. @param code of the access policy. */
  countSignIn(outcome: string, entryPoint: string, limit?: string, code?: string): void
  countClientFault(fault: ClientFault): void
  readonly timeRequests: RequestHandler
  /** Ports that are open, for the first line of the log. */
  readonly ports: Readonly<Record<string, number>>
  /** Called last, so that the last requests are seen. */
  close(): Promise<void>
}
