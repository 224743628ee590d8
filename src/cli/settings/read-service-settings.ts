import { ConfigError } from '../../errors.ts'
import { sentenceOf } from '../../settings/fields.ts'
import { readGivenSettings } from '../../settings/named-file.ts'
import { SERVICE_SECRETS, ServiceEnvironment, type ServiceSettings } from '../../video-service/service-settings.ts'
import type { CommandIo } from '../terminal/io.ts'

/** True if at least one setting `SERVICE_…` is given. The login app needs none of them. */
export function hasServiceSettings(env: CommandIo['env']): boolean {
  return Object.entries(env).some(([name, value]) => name.startsWith('SERVICE_') && value)
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
