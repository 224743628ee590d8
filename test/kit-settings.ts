import { existsSync } from 'node:fs'
import { appSettings, entryPointEnvironment, settingNames } from '../src/config.ts'
import { addressRules } from '../src/entry-points/fields.ts'
import { settingOwners } from '../src/features.ts'
import { environmentName, metaOf, type Settings } from '../src/settings/setting.ts'

/** The schemas of all settings, by their names in the environment. */
export const SCHEMAS: Settings = { ...appSettings(), ...entryPointEnvironment() }

const ROOMS = ['features', 'services']

/** The settings of features without a part.json. They belong to a fork, which need not document them. */
const OF_FORK: readonly string[] = settingOwners
  .filter(({ name }) => !ROOMS.some((room) => existsSync(new URL(`../src/${room}/${name}/part.json`, import.meta.url))))
  .flatMap(({ settings, shared }) => [
    ...Object.entries(settings?.(addressRules(null)) ?? {}).map(([name, schema]) => environmentName(name, schema)),
    ...Object.keys(shared?.settings ?? {}),
  ])

/** The names of the settings of the kit, also those of files with secrets. */
export const KIT_SETTINGS: readonly string[] = settingNames().filter(
  (name) => !OF_FORK.includes(name) && !OF_FORK.includes(name.replace(/_FILE$/, '')),
)

/** True for a setting that may also be given as a file. */
export function isSecret(name: string): boolean {
  return metaOf(SCHEMAS[name]).isSecret === true
}
