import { brandOf } from '../brand/fields.ts'
import type { SettingSource, Settings } from '../settings/setting.ts'
import type { EntryPoint, HashEntryPoint } from './entry-point.ts'
import type { AddressRules, FeatureSettings, NamedSource } from './feature-settings.ts'
import { commonSettings, hashSettings } from './fields.ts'

/** All settings that an entry point may have. */
export function entryPointSettings(rules: AddressRules, features: readonly FeatureSettings[]): Settings {
  const ofFeatures = features.flatMap((feature) => [feature.answer?.choice, feature.settings?.(rules)])
  return Object.assign({}, hashSettings(rules), ...ofFeatures, commonSettings(rules))
}

/** The schemas of the settings, made once for all entry points: a file may list a thousand. */
interface Schemas {
  readonly rules: AddressRules
  readonly hash: ReturnType<typeof hashSettings>
  readonly common: ReturnType<typeof commonSettings>
  readonly features: readonly { readonly feature: FeatureSettings; readonly settings: Settings }[]
}

/**
 * Reads the settings of entry points.
 * @param before those that were read before. One with the same text is not read again.
 * @returns entry points that must not be used if a source has refused a setting.
 */
export function readEntryPoints(
  sources: Iterable<NamedSource>,
  rules: AddressRules,
  features: readonly FeatureSettings[],
  before: readonly EntryPoint[] = [],
): EntryPoint[] {
  const schemas: Schemas = {
    rules,
    hash: hashSettings(rules),
    common: commonSettings(rules),
    features: features.map((feature) => ({ feature, settings: feature.settings?.(rules) ?? {} })),
  }
  const known = new Map(before.map((one) => [textOf.get(one), one]))
  return Array.from(sources, ({ name, text, open }) => {
    const same = text === undefined ? undefined : known.get(text)
    if (same) return same
    const entryPoint = readEntryPoint(name, open(), schemas)
    if (text !== undefined) textOf.set(entryPoint, text)
    return entryPoint
  })
}

/** The texts of entry points, to know one again. */
const textOf = new WeakMap<EntryPoint, string>()

function readEntryPoint(name: string, source: SettingSource, schemas: Schemas): EntryPoint {
  const chosen = schemas.features.find(({ feature }) => feature.answer?.isChosen(source, schemas.rules))?.feature
  const hash = chosen === undefined ? readHash(source, schemas) : null
  const context = { ...source, lifetimeSeconds: hash?.lifetimeSeconds ?? 0 }
  const on = schemas.features.flatMap(({ feature, settings: given }) => {
    if (feature.answer && feature !== chosen) return []
    const settings = feature.read?.(source.read(given), context) ?? null
    return settings === null ? [] : [{ feature, settings }]
  })
  const common = source.read(schemas.common)
  const entryPoint = {
    name,
    basePath: name === 'default' ? '' : `/e/${name}`,
    playerOrigins: common.playerOrigins,
    allowedGroups: common.allowedGroups ?? null,
    hasScript: common.screenScript,
    hasPasswordForm: checkPasswordForm(source, on),
    brand: brandOf(common, source),
    features: Object.fromEntries(on.map(({ feature, settings }) => [feature.name, settings])),
  }
  if (hash !== null) return { ...entryPoint, ...hash }
  const { settings } = on.find(({ feature }) => feature === chosen) ?? {}
  return { ...entryPoint, viewerAuth: chosen?.name ?? '', parameters: [], ...settings }
}

type OwnOfHash = Omit<HashEntryPoint, Exclude<keyof EntryPoint, 'viewerAuth' | 'parameters'>>

function readHash(source: SettingSource, schemas: Schemas): OwnOfHash {
  const values = source.read(schemas.hash)
  const secret = source.fileOf('secret')
  const previous = source.fileOf('secretPrevious')
  return {
    viewerAuth: 'hash',
    secret: values.secret,
    previousSecret: values.secretPrevious ?? null,
    secretFiles: secret !== undefined && previous !== undefined ? { secret, previous } : null,
    parameters: values.hashParameters,
    lifetimeSeconds: values.hashLifetimeSeconds,
    playerAddress: values.playerReturnUrl,
    consumers: values.hashConsumers,
  }
}

interface FeatureOn {
  readonly feature: FeatureSettings
  readonly settings: unknown
}

/** Returns true with a password form. Refuses settings that need the form where another setting replaces it. */
function checkPasswordForm(source: SettingSource, on: readonly FeatureOn[]): boolean {
  const [replacedBy] = on.flatMap(({ feature, settings }) => feature.passwordReplacedBy?.(settings) ?? [])
  if (replacedBy === undefined) return true
  for (const name of on.flatMap(({ feature, settings }) => feature.passwordNeededBy?.(settings) ?? [])) {
    source.refuse(name, `needs the password form: turn off ${source.nameOf(replacedBy)}`)
  }
  if (!on.some(({ feature, settings }) => feature.isWayIn?.(settings))) {
    source.refuse(replacedBy, 'leaves viewers without a way to sign in: turn on another one')
  }
  return false
}
