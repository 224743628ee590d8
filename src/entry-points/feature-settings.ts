import type { z } from 'zod'
import type { Environment } from '../settings/fields.ts'
import type { SettingSource, Settings, SettingValues } from '../settings/setting.ts'

/** The rules for addresses in settings. */
export interface AddressRules {
  /** Null if PUBLIC_URL is missing or wrong, which is reported elsewhere. */
  readonly publicUrl: URL | null
  /** @throws RangeError for plain http, unless the address and PUBLIC_URL are on loopback. */
  assertScheme(address: string): void
  /** Also accepts names that browsers resolve to this machine. @throws RangeError */
  assertBrowserScheme(address: string): void
}

export interface ReadContext extends Pick<SettingSource, 'file' | 'nameOf' | 'has' | 'refuse'> {
  /** The lifetime of a response; 0 if it never expires, or if the player gets no hash. */
  readonly lifetimeSeconds: number
}

/** The settings of an entry point, and its name: `default` for the entry point at `/`. */
export interface NamedSource {
  readonly name: string
  /** Reads the files of its secrets. */
  readonly open: () => SettingSource
  /** The same text has the same settings. Absent in the environment. */
  readonly text?: string
}

/** The settings of a feature at one entry point. A feature sees only its own. */
export interface FeatureSettings<S extends Settings = Settings, T = unknown> {
  readonly name: string
  /**
   * Returns the schemas by name, such as `playerOrigins` for PLAYER_ORIGINS. Only the settings of an answer may be
   * required: otherwise `read` refuses a missing setting. A feature without settings is on at every entry point.
   */
  settings?(rules: AddressRules): S
  /** Returns the settings of the feature. Null if it is off at this entry point. */
  read?(given: SettingValues<S>, context: ReadContext): T | null
  /** True if the feature knows only the entry points with which it opens: a change of its settings needs a restart. */
  readonly isFixed?: boolean
  /** Present if the feature replaces the hash. Its settings, with `parameters`, are then also fields of the entry point. */
  readonly answer?: {
    /** The setting that chooses the answer. */
    readonly choice: Settings
    /** Reads the choice, and refuses the settings of the other answer. */
    isChosen(source: SettingSource, rules: AddressRules): boolean
  }
  /**
   * Returns the entry points of another source than the environment. Null without such a source.
   * @param given the settings of the environment that are not empty.
   * @param all the settings that an entry point may have.
   * @param report gets a sentence for each mistake.
   */
  sources?(given: Environment, all: Settings, report: (mistake: string) => void): Iterable<NamedSource> | null
  /** Returns the name of the setting by which the feature replaces the password form. Null if it does not. */
  passwordReplacedBy?(settings: T): string | null
  /** True if viewers can sign in with the feature. */
  isWayIn?(settings: T): boolean
  /** Returns the name of a setting that needs the password form. Null without one. */
  passwordNeededBy?(settings: T): string | null
  /**
   * Returns sentences about valid settings that are usually a mistake.
   * @param run the same object for all entry points of one app.
   */
  warningsOf?(settings: T, entryPoint: string, run: object): string[]
}

/** Settings of a feature that all entry points share, by their names in the environment. */
export interface SharedSettings<A = unknown> {
  readonly settings: Settings
  readonly schema: z.ZodType<A>
}
