import type { KeyObject } from 'node:crypto'
import type { Brand } from '../brand/brand.ts'
import type { SsoSettings } from '../features/sso/settings/sso-settings.ts'
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
export type EntryPoint = HashEntryPoint | TokenEntryPoint

/** Settings of both versions of viewer authentication. */
interface CommonEntryPoint {
  /** Used in the log, and in the path of a named entry point. */
  readonly name: string
  /** The path prefix of its screens: '' for the entry point at `/`, '/e/NAME' for a named one. */
  readonly basePath: string
  /** What the player learns about the viewer: the hashed parameters, or `sub` of a token. */
  readonly parameters: readonly HashParameter[]
  /** The origins that may frame the screens. */
  readonly playerOrigins: readonly string[]
  /** Groups whose members may watch. Null allows every viewer. */
  readonly allowedGroups: readonly string[] | null
  /** `ask`: a viewer with a session chooses to continue or to use another account, once in each visit. */
  readonly returningViewers: 'continue' | 'ask'
  /** True if the sign-in screen loads `public/login.js`. */
  readonly hasScript: boolean
  readonly brand: Brand
  /** Null without single sign-on. */
  readonly sso: SsoSettings | null
  /** True if viewers may create passkeys and sign in with them. The user store then keeps passkeys. */
  readonly hasPasskeys: boolean
}

/** The first version: the player gets an authentication response, as `hash`. */
export interface HashEntryPoint extends CommonEntryPoint {
  readonly viewerAuth: 'hash'
  /** The secret key shared with the service. */
  readonly secret: string
  /** The second secret during a change of the secret: a lock may have either. Null without a change. */
  readonly previousSecret: string | null
  /** The files of both secrets, read again while the app runs. Null unless both are in files. */
  readonly secretFiles: SecretFiles | null
  /** How long a response is valid; 0 sends no `hashExpire`. */
  readonly lifetimeSeconds: number
  readonly playerAddress: ReturnAddress
  readonly consumers: readonly AllowedAddress[]
}

/** The second version: the player sends its address as `ref`, and gets a token, as `vt`. */
export interface TokenEntryPoint extends CommonEntryPoint {
  readonly viewerAuth: 'token'
  /** The private key of the content, which signs tokens. */
  readonly contentKey: KeyObject
  /** Where the service publishes the keys that tokens are encrypted with. */
  readonly serviceKeyUrl: string
  /** Addresses that a `ref` may have. At least one. */
  readonly refAddresses: readonly AllowedAddress[]
}

export function isHashEntryPoint(entryPoint: EntryPoint): entryPoint is HashEntryPoint {
  return entryPoint.viewerAuth === 'hash'
}

export function isTokenEntryPoint(entryPoint: EntryPoint): entryPoint is TokenEntryPoint {
  return entryPoint.viewerAuth === 'token'
}
