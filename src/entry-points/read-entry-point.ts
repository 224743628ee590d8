import { brandOf } from '../brand/fields.ts'
import type { SettingSource, Settings } from '../settings/setting.ts'
import type { EntryPoint, HashEntryPoint } from './entry-point.ts'
import type { FeatureSettings } from './feature-settings.ts'
import { type addressRules, commonSettings, hashSettings } from './fields.ts'

type Rules = ReturnType<typeof addressRules>

/** All settings that an entry point may have. */
export function entryPointSettings(rules: Rules, features: readonly FeatureSettings[]): Settings {
  const ofFeatures = features.map((feature) => feature.settings?.(rules))
  return Object.assign({}, hashSettings(rules), ...ofFeatures, commonSettings(rules))
}

/**
 * Reads the settings of one entry point.
 * @param name `default` for the entry point at `/`.
 * @returns an entry point that must not be used if `source` has refused a setting.
 */
export function readEntryPoint(
  source: SettingSource,
  name: string,
  rules: Rules,
  features: readonly FeatureSettings[],
): EntryPoint {
  const given = features.map((feature) => ({ feature, values: source.read(feature.settings?.(rules) ?? {}) }))
  const [replaced = null] = given.flatMap(({ feature, values }) => {
    const parameters = feature.parametersInPlaceOfHash?.(values)
    return parameters ? [{ viewerAuth: feature.name, parameters }] : []
  })
  const own = replaced === null ? readHash(source, rules) : replaced
  if (replaced !== null) readUnused(source, hashSettings(rules))
  const common = source.read(commonSettings(rules))
  const context = { ...source, lifetimeSeconds: 'lifetimeSeconds' in own ? own.lifetimeSeconds : 0 }
  const read = given.map(({ feature, values }) => ({ feature, settings: feature.read?.(values, context) ?? null }))
  const on = read.flatMap(({ feature, settings }) => (settings === null ? [] : [{ feature, settings }]))
  const hasPasswordForm = checkPasswordForm(source, on)
  const entryPoint = {
    name,
    basePath: name === 'default' ? '' : `/e/${name}`,
    playerOrigins: common.playerOrigins,
    allowedGroups: common.allowedGroups ?? null,
    returningViewers: common.returningViewers,
    hasScript: common.screenScript,
    hasPasswordForm,
    brand: brandOf(common, source),
    features: Object.fromEntries(on.map(({ feature, settings }) => [feature.name, settings])),
  }
  const answer = replaced && entryPoint.features[replaced.viewerAuth]
  return { ...entryPoint, ...own, ...(answer ?? {}) }
}

type OwnOfHash = Omit<HashEntryPoint, Exclude<keyof EntryPoint, 'viewerAuth' | 'parameters'>>

function readHash(source: SettingSource, rules: Rules): OwnOfHash {
  const values = source.read(hashSettings(rules))
  const [secret, previous] = [source.fileOf('secret'), source.fileOf('secretPrevious')]
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

/** Checks the given settings of a hash that a feature replaces, and says that they have no effect. */
function readUnused(source: SettingSource, settings: Settings): void {
  const given = Object.entries(settings).filter(([name]) => source.has(name))
  if (given.length === 0) return
  source.read(Object.fromEntries(given))
  source.refuseUnused(given.map(([name]) => name))
}

interface FeatureOn {
  readonly feature: FeatureSettings
  readonly settings: unknown
}

/** Returns true with a password form. Refuses settings that need the form where another setting replaces it. */
function checkPasswordForm(source: SettingSource, features: readonly FeatureOn[]): boolean {
  const named = (which: 'passwordReplacedBy' | 'passwordNeededBy') =>
    features.flatMap(({ feature, settings }) => feature[which]?.(settings) ?? [])
  const [replacedBy] = named('passwordReplacedBy')
  if (replacedBy === undefined) return true
  for (const name of named('passwordNeededBy')) {
    source.refuse(name, `needs the password form: turn off ${source.nameOf(replacedBy)}`)
  }
  return false
}
