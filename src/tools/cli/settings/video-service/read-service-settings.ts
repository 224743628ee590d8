import { SERVICE_SECRETS, ServiceEnvironment, type ServiceSettings } from '../../../video-service/service-settings.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { readToolSettings } from '../read-tool-settings.ts'

const SETTINGS = Object.keys(ServiceEnvironment.in.shape)

/** True if a setting of the video service is given. Settings of the login app do not count. */
export function hasServiceSettings(env: CommandIo['env']): boolean {
  return SETTINGS.some((name) => env[name] || env[`${name}_FILE`])
}

/** @throws ConfigError that lists every missing or wrong setting `SERVICE_…`. It repeats no value. */
export function readServiceSettings(env: CommandIo['env']): ServiceSettings {
  return readToolSettings(env, ServiceEnvironment, SERVICE_SECRETS)
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
