import type { Command } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { capacitiesAt, capacityText } from '../capacities.ts'
import { faultsOfLog } from '../security-log/log-fault.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type Lazy, loadAll } from '../terminal/lazy.ts'
import { textTable } from '../terminal/table.ts'
import { addressOf } from './chosen-entry-point.ts'
import { appValues, entryPointValues, type ShownSettings } from './config-tables.ts'
import { undeliveredAttributes } from './ldap/delivered-attributes.ts'
import { managerSettings } from './manager/settings.ts'
import { serviceSettings } from './video-service/read-service-settings.ts'

/** What a feature knows of valid settings, for `config check`. */
export interface SettingsCheck {
  /** Returns faults: the app does not start, or refuses viewers. */
  faultsIn?(config: Config): Promise<readonly string[]>
  /** Returns what stores and files say. */
  notesOn?(config: Config): Promise<readonly string[]>
}

/** The part of a feature that `config check` uses. */
export interface HasSettingsCheck {
  readonly settings?: Lazy<SettingsCheck>
}

/** The settings of tools. They are optional: checked only if one of them is given. */
const OPTIONAL_SETTINGS: readonly OptionalSettings[] = [serviceSettings, managerSettings]

/** Faults of valid settings: the app does not start, or refuses viewers. */
// biome-ignore format: one item a line
const FAULTS: readonly ((config: Config) => readonly string[] | Promise<readonly string[]>)[] = [
  undeliveredAttributes,
  faultsOfLog,
]

interface OptionalSettings {
  /** The name in the JSON output. */
  readonly field: string
  isGiven(env: CommandIo['env']): boolean
  /** @throws ConfigError that lists every missing or wrong setting. */
  read(env: CommandIo['env']): object
  sentence(isGiven: boolean): string
}

/** Adds `config check`, which checks the settings as `npm start` would, and shows what the app will do. */
export function addConfigCommands(group: Command, context: CommandContext<HasSettingsCheck>): void {
  addCommand(group, 'check', 'list every missing or wrong setting, or show what the app will do', [
    'viewer-auth config check',
    'viewer-auth config check --json',
  ]).action(({ json }: { json?: boolean }) => runCommand(context, json, () => checkSettings(context)))
}

/** Lists every missing or wrong setting, or what the app will do. */
export async function checkSettings({
  io: { env, stdout },
  features: all,
}: Pick<CommandContext<HasSettingsCheck>, 'io' | 'features'>): Promise<Outcome> {
  const features = await loadAll(all.map(({ settings }) => settings))
  const app = settingsOrMistakes(() => readConfig(env))
  const given = OPTIONAL_SETTINGS.filter(({ isGiven }) => isGiven(env))
  const optional = given.map(({ read }) => settingsOrMistakes(() => read(env)))
  const faultsOfFeatures = features.map((feature) => (config: Config) => feature.faultsIn?.(config) ?? [])
  const more =
    typeof app === 'string'
      ? []
      : (await Promise.all([...FAULTS, ...faultsOfFeatures].map((faultsIn) => faultsIn(app)))).flat()
  const faults = [app, ...optional, ...more].filter((result) => typeof result === 'string')
  if (typeof app === 'string' || faults.length > 0) return { ok: false, fault: faults.join('\n') }
  const notes = (await Promise.all(features.map((feature) => feature.notesOn?.(app) ?? []))).flat()
  const data = { ...report(app, env), notes }
  return { ok: true, text: await describe(data, env, stdout), data }
}

function settingsOrMistakes<T extends object>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

function report(config: Config, env: CommandIo['env']) {
  const entryPoints = config.entryPoints.map((entryPoint) => ({
    name: entryPoint.name,
    address: addressOf(config, entryPoint),
    settings: entryPointValues(config, entryPoint, env),
    capacities: capacitiesAt(config, entryPoint),
  }))
  const optional = Object.fromEntries(OPTIONAL_SETTINGS.map(({ field, isGiven }) => [field, isGiven(env)]))
  return { entryPoints, settings: appValues(env), ...optional, warnings: config.warnings }
}

async function describe(
  { entryPoints, settings, warnings, notes }: ReturnType<typeof report> & { readonly notes: readonly string[] },
  env: CommandIo['env'],
  stdout: CommandIo['stdout'],
): Promise<string> {
  const table = (title: string, values: ShownSettings) => textTable(stdout, [title, ''], Object.entries(values))
  const tables = entryPoints.flatMap(({ name, settings, capacities }) => [
    table(`Entry point ${name}`, settings),
    table(
      'Viewers of one address in ten minutes',
      Object.fromEntries(capacities.map((one) => [one.wayIn, capacityText(one)])),
    ),
  ])
  const all = await Promise.all([...tables, table('The app', settings)])
  const optional = OPTIONAL_SETTINGS.map(({ isGiven, sentence }) => sentence(isGiven(env)))
  const lines = [...optional, ...notes, ...warnings.map((warning) => `Warning: ${warning}`)]
  return ['The settings are complete and valid.', ...all, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n')
}
