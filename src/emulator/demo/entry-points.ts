import { randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ProgramSettings } from '../developer/program-settings.ts'

const LOGO = fileURLToPath(new URL('brand/logo.svg', import.meta.url))

/** The settings of the emulator that belong to an entry point. */
const OF_ENTRY_POINT = ['PLAYER_RETURN_URL', 'PLAYER_ORIGINS', 'HASH_CONSUMERS']

/**
 * Writes the entry points of the demo: one with the brand of a customer for the seeded locks, and one without a brand.
 * Only this user may read the file, because it holds secrets.
 * @param helpUrl the page behind "Help".
 * @returns the settings for the login app that go with the file.
 */
export function writeEntryPoints(
  file: string,
  settings: ProgramSettings,
  { secret, lifetimeSeconds, helpUrl }: { secret: string; lifetimeSeconds: number; helpUrl: string },
): ProgramSettings {
  const shared = {
    playerReturnUrl: settings.PLAYER_RETURN_URL,
    playerOrigins: settings.PLAYER_ORIGINS?.split(','),
    hashConsumers: [settings.HASH_CONSUMERS],
    hashLifetimeSeconds: lifetimeSeconds,
  }
  const brand = {
    brandName: 'Lakeside Media',
    brandLogoFile: LOGO,
    brandLogoDarkFile: LOGO,
    brandColor: '#0a7d6c',
    helpUrl,
  }
  const entryPoints = [
    { name: 'default', secret, ...shared, ...brand },
    { name: 'plain', secret: randomBytes(20).toString('hex'), ...shared },
  ]
  writeFileSync(file, `${JSON.stringify(entryPoints, null, 2)}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  const others = Object.entries(settings).filter(([name]) => !OF_ENTRY_POINT.includes(name))
  return { ...Object.fromEntries(others), ENTRY_POINTS_FILE: file }
}
