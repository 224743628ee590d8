import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig, readEntryPointSettings } from '../../../src/config.ts'
import { entryPointsFile } from '../../../src/features/entry-points-file/feature.ts'
import type { Feature } from '../../../src/login/feature.ts'
import { startLoginApp } from '../../login/start-login-app.ts'
import { APP_SETTINGS, SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const { HASH_SECRET: secret, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS } = SETTINGS

/** The entry point at `/`, as the file has it. */
export const ENTRY = { name: 'default', secret, playerReturnUrl, playerOrigins: [PLAYER_ORIGINS] }

/** Starts an app with a file of entry points, which it reads again while it runs. */
export async function startFromFile(features: readonly Feature[], ...entries: readonly object[]) {
  const file = join(temporaryFolder(), 'entry-points.json')
  function write(...next: readonly unknown[]): void {
    writeFileSync(`${file}.next`, JSON.stringify(next))
    renameSync(`${file}.next`, file)
  }
  write(...entries)
  const environment = { ...APP_SETTINGS, ENTRY_POINTS_FILE: file }
  const config = readConfig(environment)
  const app = await startLoginApp({
    entryPoints: config.entryPoints,
    features: [...features, entryPointsFile],
    featureSettings: { [entryPointsFile.name]: { ENTRY_POINTS_FILE: file } },
    readAgain: (entryPoints) => readEntryPointSettings(environment, { ...config, entryPoints }).entryPoints,
  })
  const linesOf = (event: string) => app.lines.filter((line) => line.event === event)
  return { app, file, write, linesOf }
}
