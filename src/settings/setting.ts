import type { z } from 'zod'
import type { Environment } from './fields.ts'
import { readNamedFile } from './named-file.ts'

/** Facts about a setting in its schema, besides the form of the value: `.meta({ isSecret: true })`, as the last call. */
interface SettingMeta {
  /** The setting may also be given as NAME_FILE, the path of a file that contains it. */
  readonly isSecret?: boolean | undefined
  /** The setting is a secret because an address may contain a password. Its scheme and host may be shown. */
  readonly isAddress?: boolean | undefined
  /** Says how the absence of the setting lets more viewers in, or leaves a weaker default. */
  readonly protects?: string | undefined
  /** The form in the entry points file, if it is not the text of the environment. */
  readonly inFile?: 'list' | 'number' | undefined
  /** The form of one item of a list in the entry points file. Default: no space, no comma. */
  readonly item?: RegExp | undefined
  /** The name in the environment, if it does not follow from the name in the entry points file. */
  readonly environmentName?: string | undefined
}

declare module 'zod' {
  interface GlobalMeta extends SettingMeta {}
}

/** Schemas of settings by name. Each parses the text of the setting, or undefined. */
export type Settings = Readonly<Record<string, z.ZodType>>
export type SettingValues<S extends Settings> = { readonly [Name in keyof S]: z.output<S[Name]> }

/** Called with the name of a wrong setting, as in its source, and the end of a sentence that starts with the name. */
export type Refuse = (name: string, message: string) => void

/** The settings of one entry point, from the environment or from an entry of the file. Names are those of the file. */
export interface SettingSource {
  /** Parses settings, and refuses wrong ones: their values are undefined, and the result must not be used. */
  read<S extends Settings>(settings: S): SettingValues<S>
  /** The name of a setting in this source, for messages. */
  nameOf(name: string): string
  /** True if the setting is given, even if the value is wrong. */
  has(name: string): boolean
  /** The path of the file that holds a secret. Undefined if the secret is not in a file. */
  fileOf(name: string): string | undefined
  refuse(name: string, message: string): void
  /** Refuses a missing setting. @param message the end of a sentence that starts with the name of the setting. */
  refuseMissing(name: string, message: string): void
  /** Says that given settings have no effect: a warning for the environment, a mistake in the file. */
  refuseUnused(names: readonly string[]): void
}

/** The text of a setting, or what is wrong with its form. */
type Text = { readonly text: unknown } | { readonly faults: readonly string[] }
/** `subject`: the name for messages, if it is another one. `of`: the words before a fault in the content of a file. */
type NamedText = Text & { readonly subject?: string; readonly of?: string }

const ITEM = /^[^\s,]+$/

export function metaOf(schema: z.ZodType | undefined): SettingMeta {
  const { isSecret, isAddress, protects, inFile, item, environmentName } = schema?.meta() ?? {}
  return { isSecret, isAddress, protects, inFile, item: item as RegExp | undefined, environmentName }
}

/** Returns the name of a setting in the environment: `PLAYER_ORIGINS` of `playerOrigins`. */
export function environmentName(name: string, schema?: z.ZodType): string {
  return metaOf(schema).environmentName ?? name.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()
}

/** Returns the same schemas under their names in the environment. */
export function inEnvironment(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).map(([name, schema]) => [environmentName(name, schema), schema]))
}

/** Returns all names that an entry of the file may have: a secret may also be given as the path of a file. */
export function namesInFile(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, schema]) =>
    metaOf(schema).isSecret ? [name, `${name}File`] : [name],
  )
}

/**
 * Reads settings from the environment.
 * @param given the environment, in which the content of files has replaced the files of secrets.
 * @param all the settings of an entry point.
 * @param warnOfUnused gets names of the environment.
 */
export function environmentSource(
  given: Environment,
  all: Settings,
  refuse: Refuse,
  warnOfUnused: (names: readonly string[]) => void,
): SettingSource {
  const nameOf = (name: string) => environmentName(name, all[name])
  return {
    nameOf,
    has: (name) => given[nameOf(name)] !== undefined,
    fileOf: (name) => given[`${nameOf(name)}_FILE`],
    refuse: (name, message) => refuse(nameOf(name), message),
    refuseMissing: (name, message) => refuse(nameOf(name), message),
    refuseUnused: (names) => warnOfUnused(names.map(nameOf)),
    read: (settings) => parseAll(settings, (name) => ({ text: given[nameOf(name)], subject: nameOf(name) }), refuse),
  }
}

/** Reads settings from an entry of the entry points file. */
export function entrySource(
  entry: Readonly<Record<string, unknown>>,
  all: Settings,
  refuse: Refuse,
  refuseUnused: (names: readonly string[]) => void,
): SettingSource {
  const fileOf = (name: string) => {
    const path = metaOf(all[name]).isSecret ? entry[`${name}File`] : undefined
    return typeof path === 'string' ? path : undefined
  }
  return {
    nameOf: (name) => name,
    has: (name) => entry[name] !== undefined || fileOf(name) !== undefined,
    fileOf,
    refuse,
    refuseMissing: (name, message) => refuse(name, metaOf(all[name]).isSecret ? orInFile(name) : message),
    refuseUnused,
    read: (settings) => parseAll(settings, (name, schema) => textIn(entry, name, schema), refuse),
  }
}

/** Returns a value of the file as the text that the environment would have. */
function textIn(entry: Readonly<Record<string, unknown>>, name: string, schema: z.ZodType): NamedText {
  const { isSecret, inFile, item = ITEM } = metaOf(schema)
  const value = entry[name]
  if (isSecret) return secretIn(name, value, entry[`${name}File`], schema)
  if (inFile === 'number' && value !== undefined) return { text: typeof value === 'number' ? String(value) : '' }
  if (inFile !== 'list' || value === undefined) return { text: value }
  if (!Array.isArray(value)) return { faults: [missingMessage(schema) ?? 'must be an array of texts'] }
  const faults = value.flatMap((one, index) => {
    const fault = typeof one !== 'string' ? 'must be text' : 'must be one item, not empty and without a comma'
    return typeof one === 'string' && item.test(one) ? [] : [`: item ${index + 1} ${fault}`]
  })
  return faults.length > 0 ? { faults } : { text: value.join(',') }
}

function orInFile(name: string): string {
  return `or ${name}File is required, and not both`
}

function secretIn(name: string, value: unknown, path: unknown, schema: z.ZodType): NamedText {
  const isRequired = missingMessage(schema) !== null
  if (value !== undefined && path !== undefined) {
    return { faults: [isRequired ? orInFile(name) : `and ${name}File are both set: remove one`] }
  }
  if (path === undefined) {
    if (value !== undefined && typeof value !== 'string') return { faults: ['must be text'] }
    return value === undefined && isRequired ? { faults: [orInFile(name)] } : { text: value }
  }
  const subject = `${name}File`
  const read = typeof path === 'string' ? readNamedFile(path) : { fault: 'must be the path of a file' }
  if ('fault' in read) return { faults: [read.fault], subject }
  const text = read.text.trim()
  // As in the environment: an empty file of a previous secret stands for none.
  const isNone = text === '' && name.endsWith('Previous')
  return { text: isNone ? undefined : text, subject, of: 'names a file whose content ' }
}

/** Returns the message for a setting that is missing. Null if it may be missing. */
function missingMessage(schema: z.ZodType): string | null {
  return schema.safeParse(undefined).error?.issues[0]?.message ?? null
}

function parseAll<S extends Settings>(
  settings: S,
  textOf: (name: string, schema: z.ZodType) => NamedText,
  refuse: Refuse,
): SettingValues<S> {
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(settings)) {
    const text = textOf(name, schema)
    const { subject = name, of = '' } = text
    const parsed = 'text' in text ? schema.safeParse(text.text) : null
    if (parsed?.success) values[name] = parsed.data
    const faults =
      'faults' in text ? text.faults : (parsed?.error?.issues ?? []).map(({ message }) => `${of}${message}`)
    for (const fault of faults) refuse(subject, fault)
  }
  return values as SettingValues<S>
}
