import { KeyObject } from 'node:crypto'
import {
  appSettings,
  type Config,
  entryPointEnvironment,
  entryPointSources,
  readActivitySettings,
} from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { Environment } from '../../../settings/fields.ts'
import { metaOf, type Settings } from '../../../settings/setting.ts'
import { addressOf } from './chosen-entry-point.ts'

/** The value of each setting as text, by the names in the environment. Contains no secret. */
export type ShownSettings = Readonly<Record<string, string>>

const NONE = 'none'
const SET = 'set'

/** Describes the settings of one entry point. */
export function entryPointValues(config: Config, entryPoint: EntryPoint, environment: Environment): ShownSettings {
  const found = entryPointSources(environment).sources.find(({ name }) => name === entryPoint.name)
  return { address: addressOf(config, entryPoint), ...valuesOf(entryPointEnvironment(), found?.source.given ?? {}) }
}

/** Describes the settings that all entry points share. */
export function appValues(environment: Environment): ShownSettings {
  const { securityLogFile } = readActivitySettings(environment)
  return { ...valuesOf(appSettings(), environment), SECURITY_LOG_FILE: securityLogFile ?? 'off' }
}

function valuesOf(settings: Settings, given: Environment): ShownSettings {
  const entries = Object.entries(settings).map(([name, schema]) => {
    const text = given[name] || undefined
    const { isSecret, isAddress } = metaOf(schema)
    if (isSecret && given[`${name}_FILE`]) return [name, `${SET}, in a file`]
    // The value of a file is its content.
    if (name.endsWith('_FILE')) return [name, text ?? NONE]
    const parsed = schema.safeParse(text)
    const value = parsed.success ? parsed.data : text
    return [name, isSecret ? withoutSecret(text, value, isAddress) : shown(value)]
  })
  return Object.fromEntries(entries)
}

/** Returns an address without user name and password; of any other secret, only that it is set. */
function withoutSecret(text: string | undefined, value: unknown, isAddress = false): string {
  if (value instanceof KeyObject) return `RSA, ${value.asymmetricKeyDetails?.modulusLength} bits`
  if (text === undefined) return shown(value)
  if (!isAddress) return SET
  const [, scheme = '', host = ''] = /^([a-z][a-z0-9-]*:\/\/)(?:[^/]*@)?([^/?#]*)/i.exec(text) ?? []
  if (host !== '') return scheme + host
  // URL also finds the host of an address without the slashes.
  const { protocol, host: found } = URL.canParse(text) ? new URL(text) : { protocol: '', host: '' }
  if (found !== '') return `${protocol}//${found}`
  return protocol === '' ? SET : text
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return NONE
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (value instanceof URL) return value.origin
  if (Array.isArray(value)) return value.map(shownItem).join(', ') || NONE
  return typeof value === 'object' ? shownItem(value) : String(value)
}

/** Returns the text of an object that a schema makes of a text: an address, a pair, a network. */
function shownItem(item: unknown): string {
  if (Array.isArray(item)) return item.join('/')
  if (typeof item !== 'object' || item === null) return String(item)
  if ('url' in item) return String(item.url)
  if ('origin' in item && 'path' in item) return `${item.origin}${item.path}`
  if ('address' in item) return String(item.address)
  if ('domain' in item) return `*@${item.domain}`
  if ('text' in item) return String(item.text)
  const values: unknown[] = Object.values(item)
  return values.every((value) => typeof value === 'string') ? values.join('=') : SET
}
