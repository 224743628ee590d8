import type { AllowedConsumer, ReturnAddress } from '../hash-lock/return-address.ts'

/** A hashed parameter: what the service calls it, and the viewer's attribute that fills it (`username` is one). */
export interface HashParameter {
  readonly name: string
  readonly attribute: string
}

/** One door into the app, with all that belongs to it alone: two entry points share nothing but the viewers. */
export interface EntryPoint {
  /** In the log, and in the path of a named one. */
  readonly name: string
  /** '' for the one at `/`, '/e/NAME' for a named one: what its screens' paths begin with. */
  readonly basePath: string
  /** Shared with the service, and with nobody else. */
  readonly secret: string
  readonly parameters: readonly HashParameter[]
  /** Life of a response; 0 sends no `hashExpire`. */
  readonly lifetimeSeconds: number
  readonly playerAddress: ReturnAddress
  /** Origins that may frame the screens. */
  readonly playerOrigins: readonly string[]
  readonly consumers: readonly AllowedConsumer[]
  /** Null lets every viewer of the store pass. */
  readonly allowedGroups: readonly string[] | null
}
