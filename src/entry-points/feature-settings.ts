import type { KeyObject } from 'node:crypto'
import type { z } from 'zod'
import type { SettingSource, Settings, SettingValues } from '../settings/setting.ts'
import type { HashParameter } from './entry-point.ts'

/** The rules for addresses in settings. */
export interface AddressRules {
  /** Null if PUBLIC_URL is missing or wrong, which is reported elsewhere. */
  readonly publicUrl: URL | null
  /** @throws RangeError for plain http, unless the address and PUBLIC_URL are on loopback. */
  assertScheme(address: string): void
}

export interface ReadContext
  extends Pick<SettingSource, 'nameOf' | 'has' | 'refuse' | 'refuseMissing' | 'refuseUnused'> {
  /** The lifetime of a response; 0 if it never expires, or if the player gets no hash. */
  readonly lifetimeSeconds: number
}

/** The settings of a feature at one entry point. A feature sees only its own. */
export interface FeatureSettings<S extends Settings = Settings, T = unknown> {
  readonly name: string
  /**
   * Returns the schemas by their names in the entry points file. None is required: `read` refuses a missing setting. A
   * feature without settings is on at every entry point.
   */
  settings?(rules: AddressRules): S
  /** Returns the settings of the feature. Null if it is off at this entry point. */
  read?(given: SettingValues<S>, context: ReadContext): T | null
  /**
   * Returns the parameters for the player if the feature replaces the hash; else null. The settings of such a feature
   * are also fields of the entry point itself, as the settings of the hash are.
   */
  parametersInPlaceOfHash?(given: SettingValues<S>): readonly HashParameter[] | null
  /** Returns the name of the setting by which the feature replaces the password form. Null if it does not. */
  passwordReplacedBy?(settings: T): string | null
  /** Returns the name of a setting that needs the password form. Null without one. */
  passwordNeededBy?(settings: T): string | null
  /** Returns sentences about valid settings that are usually a mistake. */
  warningsOf?(settings: T, entryPoint: string): string[]
  /** Returns the private keys. The app warns if two purposes share a key. */
  keysOf?(settings: T): readonly PrivateKey[]
}

/** Settings of a feature that all entry points share, by their names in the environment. */
export interface SharedSettings<A = unknown> {
  readonly settings: Settings
  readonly schema: z.ZodType<A>
}

export interface PrivateKey {
  /** The name of the setting in the environment. */
  readonly setting: string
  readonly key: KeyObject
  /** True if several entry points may have this key in the same setting. */
  readonly isOfClient: boolean
}
