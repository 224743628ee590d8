import { readConfig } from '../src/config.ts'
import { ConfigError } from '../src/errors.ts'
import type { Environment } from '../src/settings/fields.ts'
import { CHOSEN_STORE } from './users/chosen-store.ts'

/** Those of the app that have no default. */
export const APP_SETTINGS = {
  ...CHOSEN_STORE,
  PUBLIC_URL: 'https://login.example.com',
  SESSION_SECRET: 'c04d8e1f5b7a926330e9d17f48c2ab65',
} as const

/** Those without a default, with a single entry point. */
export const SETTINGS = {
  ...APP_SETTINGS,
  HASH_SECRET: '3f9a1c7be2d84560af13c9d27e6b8045',
  PLAYER_RETURN_URL: 'https://player.example/embed/hashlock/pass',
  PLAYER_ORIGINS: 'https://player.example',
} as const

/** The sentences with which the settings are refused, without the line above them; none when they are accepted. */
export function mistakesIn(environment: Environment): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [, ...sentences] = error.message.split('\n')
    return sentences.map((sentence) => sentence.slice(2))
  }
}
