import type { z } from 'zod'
import type { Environment } from './fields.ts'

/** Facts about a setting in its schema, besides the form of the value: `.meta({ isSecret: true })`, as the last call. */
interface SettingMeta {
  /** The setting may also be given as NAME_FILE, the path of a file that contains it. */
  readonly isSecret?: boolean | undefined
  /** The setting is a secret because an address may contain a password. Its scheme and host may be shown. */
  readonly isAddress?: boolean | undefined
  /** Says how the absence of the setting lets more viewers in, or leaves a weaker default. */
  readonly protects?: string | undefined
  /** The form in JSON, if it is not the text of the environment. */
  readonly inFile?: 'list' | 'number' | 'object' | undefined
  /** The form of one item of a list in JSON. Default: no space, no comma. */
  readonly item?: RegExp | undefined
  /** The name in the environment, if it does not follow from the name of the schema. */
  readonly environmentName?: string | undefined
}

declare module 'zod' {
  interface GlobalMeta extends SettingMeta {}
}

/** Schemas of settings by name. Each parses the text of the setting, or undefined. */
export type Settings = Readonly<Record<string, z.ZodType>>
export type SettingValues<S extends Settings> = { readonly [Name in keyof S]: z.output<S[Name]> }

/** Called with the name of a wrong setting, as in its source. `message` is the end of a sentence after the name. */
export type Refuse = (name: string, message: string) => void

/** The settings of one entry point. Names are those of the schemas. */
export interface SettingSource {
  /** By the names in the environment. The content of a file has replaced the file of a secret; NAME_FILE is its path. */
  readonly given: Environment
  /** The file with all settings of the entry point. Undefined in the environment. */
  readonly file?: string
  /** Parses settings, and refuses wrong ones: their values are undefined, and the result must not be used. */
  read<S extends Settings>(settings: S): SettingValues<S>
  /** The name of a setting in this source, for messages. */
  nameOf(name: string): string
  /** True if the setting is given, even if the value is wrong. */
  has(name: string): boolean
  /** The path of the file that holds a secret. Undefined if the secret is not in a file. */
  fileOf(name: string): string | undefined
  refuse(name: string, message: string): void
  /** Warns of settings without effect. A strict source refuses them. */
  warn(sentence: string): void
  /** True if no other program shares the settings: then even an optional setting without effect is a mistake. */
  readonly isStrict: boolean
}

export function metaOf(schema: z.ZodType | undefined): SettingMeta {
  return (schema?.meta() ?? {}) as SettingMeta
}

/** Returns the name of a setting in the environment: `PLAYER_ORIGINS` of `playerOrigins`. */
export function environmentName(name: string, schema?: z.ZodType): string {
  return metaOf(schema).environmentName ?? name.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()
}

/** Returns the same schemas under their names in the environment. */
export function inEnvironment(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).map(([name, schema]) => [environmentName(name, schema), schema]))
}

type SourceOptions = Pick<SettingSource, 'given' | 'warn'> & {
  /** Default: false. */
  readonly isStrict?: boolean
  /** Default: the name in the environment. */
  readonly nameOf?: SettingSource['nameOf']
  /** Refuses a wrong value. Gets the name of the schema. Default: as `refuse`. */
  readonly refuseValue?: Refuse
}

/**
 * @param all the settings that an entry point may have.
 * @param refuse gets the name that `nameOf` returns.
 */
export function settingSource(all: Settings, refuse: Refuse, options: SourceOptions): SettingSource {
  const own = (name: string) => environmentName(name, all[name])
  const { given, warn, isStrict = false, nameOf = own } = options
  const { refuseValue = (name, message) => refuse(nameOf(name), message) } = options
  const fileOf = (name: string) => (metaOf(all[name]).isSecret ? given[`${own(name)}_FILE`] : undefined)
  return {
    given,
    nameOf,
    fileOf,
    has: (name) => given[own(name)] !== undefined || fileOf(name) !== undefined,
    refuse: (name, message) => refuse(nameOf(name), message),
    warn,
    isStrict,
    read<S extends Settings>(settings: S) {
      const values = Object.entries(settings).map(([name, schema]) => {
        const parsed = schema.safeParse(given[own(name)])
        for (const { message } of parsed.error?.issues ?? []) refuseValue(name, message)
        return [name, parsed.data]
      })
      return Object.fromEntries(values) as SettingValues<S>
    },
  }
}

/** Returns the message for a setting that is missing. Null if it may be missing. */
export function missingMessage(schema: z.ZodType): string | null {
  return schema.safeParse(undefined).error?.issues[0]?.message ?? null
}
