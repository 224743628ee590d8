import { readConfig, settingNames } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { SERVICE_SECRETS, ServiceEnvironment } from '../../video-service/service-settings.ts'
import type { HasChecks } from '../doctor/feature-check.ts'
import type { HasSettingsCheck } from '../settings/config-command.ts'
import type { HasOtherStore } from '../settings/store-command.ts'
import { hasServiceSettings, readServiceSettings } from '../settings/video-service/read-service-settings.ts'
import { type CommandIo, ioWithoutTerminal } from '../terminal/io.ts'
import type { Values } from './env-file.ts'

/** The settings and answers so far. They are tried before they are written. */
export interface Trial {
  readonly io: CommandIo
  readonly signal: AbortSignal
  /** The settings with all changes, for other commands. */
  readonly env: CommandIo['env']
  changes: Values
  /** The last answer to each question, by the name of the question. */
  answers: Values
  /** What was wrong with the answers before. Empty if nothing was. */
  fault: string
  readonly features: readonly SetupParts[]
}

/** The parts of a feature that setup uses. */
export type SetupParts = HasSettingsCheck & HasOtherStore & HasChecks

/** Returns what acts need to work with the settings so far, without input and output. */
export function quietly({ io, env, features }: Pick<Trial, 'io' | 'env' | 'features'>) {
  return { io: { ...ioWithoutTerminal(env), onInterrupt: io.onInterrupt }, features }
}

/** Returns the names of all settings that .env may hold. */
export function knownSettings(): string[] {
  const files = SERVICE_SECRETS.map((name) => `${name}_FILE`)
  return [...settingNames(), ...Object.keys(ServiceEnvironment.in.shape), ...files]
}

/** Returns the sentences of all mistakes in the settings of the app and of the service. No sentence repeats a value. */
export function mistakesIn(env: CommandIo['env']): string[] {
  const readers = hasServiceSettings(env) ? [readConfig, readServiceSettings] : [readConfig]
  return readers.flatMap((read) => {
    try {
      read(env)
      return []
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.message.split('\n').map((line) => line.trim())
    }
  })
}

/** Returns the sentences about some settings. */
export function mistakesAbout(names: readonly string[], env: CommandIo['env']): string[] {
  return mistakesIn(env).filter((sentence) => names.includes(settingOf(sentence)))
}

/** Returns the setting that a sentence is about. */
export function settingOf(sentence: string): string {
  return /^\w+/.exec(sentence)?.[0] ?? ''
}
