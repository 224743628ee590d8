import { ConfigError } from '../../../../errors.ts'
import { sentenceOf } from '../../../../settings/fields.ts'
import { readGivenSettings } from '../../../../settings/named-file.ts'
import { SERVICE_SECRETS, ServiceEnvironment, type ServiceSettings } from '../../../video-service/service-settings.ts'
import type { CommandIo } from '../../terminal/io.ts'

const SETTINGS = Object.keys(ServiceEnvironment.in.shape)

/** True if a setting of the video service is given. SERVICE_VIEWER_KEY_URL is not one: the login app needs it. */
export function hasServiceSettings(env: CommandIo['env']): boolean {
  return SETTINGS.some((name) => env[name] || env[`${name}_FILE`])
}

/** @throws ConfigError that lists every missing or wrong setting `SERVICE_…`. It repeats no value. */
export function readServiceSettings(env: CommandIo['env']): ServiceSettings {
  const { given, unreadable, mistakes: faults } = readGivenSettings(env, SERVICE_SECRETS)
  const parsed = ServiceEnvironment.safeParse(given)
  if (parsed.success && faults.length === 0) return parsed.data
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unreadable.includes(String(path[0])))
  const mistakes = [...faults, ...issues.map(({ path, message }) => sentenceOf(path, message))]
  throw new ConfigError(`These settings are missing or wrong:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
}

/** The settings of the video service, for `config check`. */
export const serviceSettings = {
  field: 'service',
  isGiven: hasServiceSettings,
  read: readServiceSettings,
  sentence: (isGiven: boolean) =>
    isGiven
      ? 'Video service: set'
      : 'Video service: not set. token, channel, lock and report need the settings SERVICE_…',
}
