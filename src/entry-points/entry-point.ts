import type { Brand } from '../brand/brand.ts'
import type { AllowedAddress, ReturnAddress } from '../hash-lock/return-address.ts'

/** A parameter for the player: its name at the service, and the attribute of the viewer with its value, such as `username`. */
export interface HashParameter {
  readonly name: string
  readonly attribute: string
}

/** The paths of the files that hold the secret and the previous secret of an entry point. The second may be empty. */
export interface SecretFiles {
  readonly secret: string
  readonly previous: string
}

/** An address of the app with its own secret or key, and its own lock at the service. Entry points share only viewers. */
export interface EntryPoint {
  /** Used in the log, and in the path of a named entry point. */
  readonly name: string
  /** The path prefix of its screens: '' for the entry point at `/`, '/e/NAME' for a named one. */
  readonly basePath: string
  /** The answer to the player: `hash`, or the name of the feature that replaces the hash. */
  readonly viewerAuth: string
  /** The parameters about the viewer that the player gets. */
  readonly parameters: readonly HashParameter[]
  /** The origins that may frame the screens. */
  readonly playerOrigins: readonly string[]
  /** Groups whose members may watch. Null allows every viewer. */
  readonly allowedGroups: readonly string[] | null
  /** True if the sign-in screen loads `public/login.js`. */
  readonly hasScript: boolean
  /** False if a feature replaces the password. */
  readonly hasPasswordForm: boolean
  readonly brand: Brand
  /** The settings of each feature that is on here, by its name. Only the feature itself reads them. */
  readonly features: Readonly<Record<string, unknown>>
}

/** An entry point whose player gets an authentication response, as `hash`. */
export interface HashEntryPoint extends EntryPoint {
  readonly viewerAuth: 'hash'
  /** The secret key shared with the service. */
  readonly secret: string
  /** The second secret during a change of the secret: a lock may have either. Null without a change. */
  readonly previousSecret: string | null
  /** The files of both secrets, read again while the app runs. Null unless both are in files. */
  readonly secretFiles: SecretFiles | null
  /** The lifetime of a response; 0 sends no `hashExpire`. */
  readonly lifetimeSeconds: number
  readonly playerAddress: ReturnAddress
  readonly consumers: readonly AllowedAddress[]
}

export function isHashEntryPoint(entryPoint: EntryPoint): entryPoint is HashEntryPoint {
  return entryPoint.viewerAuth === 'hash'
}
