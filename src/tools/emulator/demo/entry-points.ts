import { chmodSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ProgramSettings, programSettings } from '../developer/program-settings.ts'
import { randomKey } from '../seed/secrets.ts'
import type { RunningEmulator } from '../start-emulator.ts'
import { channelPage, type DemoFeature } from './demo-feature.ts'

const LOGO = fileURLToPath(new URL('brand/logo.svg', import.meta.url))

/** The settings of the emulator that belong to an entry point. */
const OF_ENTRY_POINT = ['PLAYER_RETURN_URL', 'PLAYER_ORIGINS', 'HASH_CONSUMERS']

/** Returns the address of the customer's page with the locked channel. */
export function pageUrlOf(emulator: RunningEmulator): string {
  return channelPage(emulator, emulator.seed.channels.find(({ locked }) => locked)?.id)
}

/**
 * Writes the entry points of the demo: one with the brand of a customer for the seeded locks, one without a brand, and
 * those of features. Only this user may read the file, because it holds secrets.
 * @returns the settings for the login app that go with the file.
 */
export function writeEntryPoints(
  file: string,
  emulator: RunningEmulator,
  hashSecret: string,
  features: readonly DemoFeature[],
  lifetimeSeconds: number,
): ProgramSettings {
  const { url, seed } = emulator
  const settings = programSettings(url, seed)
  const playerOrigins = settings.PLAYER_ORIGINS?.split(',')
  const hash = {
    playerReturnUrl: settings.PLAYER_RETURN_URL,
    playerOrigins,
    hashConsumers: [settings.HASH_CONSUMERS],
    hashLifetimeSeconds: lifetimeSeconds,
  }
  const brand = {
    brandName: 'Lakeside Media',
    brandLogoFile: LOGO,
    brandLogoDarkFile: LOGO,
    brandColor: '#0a7d6c',
    helpUrl: `${url}/`,
  }
  const ofDefault: object = Object.assign({}, ...features.map((feature) => feature.ofDefault?.(pageUrlOf(emulator))))
  const entryPoints = [
    { name: 'default', secret: hashSecret, ...hash, ...brand, ...ofDefault },
    { name: 'plain', secret: randomKey(), ...hash },
    ...features.flatMap((feature) => feature.entryPoint?.(emulator, { playerOrigins, brand, hash }) ?? []),
  ]
  writeFileSync(file, `${JSON.stringify(entryPoints, null, 2)}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  const others = Object.entries(settings).filter(([name]) => !OF_ENTRY_POINT.includes(name))
  return { ...Object.fromEntries(others), ENTRY_POINTS_FILE: file }
}
