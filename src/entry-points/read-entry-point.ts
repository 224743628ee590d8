import { brandOf } from '../brand/fields.ts'
import type { SettingSource, Settings } from '../settings/setting.ts'
import type { EntryPoint, HashEntryPoint } from './entry-point.ts'
import type { FeatureSettings } from './feature-settings.ts'
import { type addressRules, commonSettings, hashSettings } from './fields.ts'

type Rules = ReturnType<typeof addressRules>

/** All settings that an entry point may have. */
export function entryPointSettings(rules: Rules, features: readonly FeatureSettings[]): Settings {
  const ofFeatures = features.flatMap((feature) => [feature.answer?.choice, feature.settings?.(rules)])
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
  const chosen = chooseAnswer(source, rules, features)
  const hash = chosen === undefined ? readHash(source, rules) : null
  const context = { ...source, lifetimeSeconds: hash?.lifetimeSeconds ?? 0 }
  const on = features.flatMap((feature) => {
    if (feature.answer && feature !== chosen) return []
    const settings = feature.read?.(source.read(feature.settings?.(rules) ?? {}), context) ?? null
    return settings === null ? [] : [{ feature, settings }]
  })
  const common = source.read(commonSettings(rules))
  const entryPoint = {
    name,
    basePath: name === 'default' ? '' : `/e/${name}`,
    playerOrigins: common.playerOrigins,
    allowedGroups: common.allowedGroups ?? null,
    returningViewers: common.returningViewers,
    hasScript: common.screenScript,
    hasPasswordForm: checkPasswordForm(source, on),
    brand: brandOf(common, source),
    features: Object.fromEntries(on.map(({ feature, settings }) => [feature.name, settings])),
  }
  if (hash !== null) return { ...entryPoint, ...hash }
  const own = on.find(({ feature }) => feature === chosen)
  const parameters = own?.feature.answer?.parametersOf(own.settings) ?? []
  return { ...entryPoint, viewerAuth: chosen?.name ?? '', ...(own?.settings ?? {}), parameters }
}

/** Returns the feature whose answer replaces the hash. Refuses the settings of other answers. */
function chooseAnswer(source: SettingSource, rules: Rules, features: readonly FeatureSettings[]) {
  const answers = features.flatMap((feature) => {
    const [choice] = Object.keys(feature.answer?.choice ?? {})
    return choice === undefined ? [] : [{ feature, choice, value: source.read(feature.answer?.choice ?? {})[choice] }]
  })
  const chosen = answers.find(({ feature, value }) => value === feature.name)?.feature
  for (const { feature, choice, value } of answers) {
    const others = feature === chosen ? hashSettings(rules) : (feature.settings?.(rules) ?? {})
    const given = Object.entries<Settings[string]>(others).filter(([name]) => source.has(name))
    source.read(Object.fromEntries(given))
    const names = given.map(([name]) => name)
    if (names.length === 0 || value === undefined) continue
    source.refuseUnused(names, `${source.nameOf(choice)} is ${value}, so these settings have no effect`)
  }
  return chosen
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
