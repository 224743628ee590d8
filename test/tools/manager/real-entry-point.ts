import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEntryPointSettings } from '../../../src/config.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { startManager } from './start-manager.ts'

const ENTRY = {
  name: 'default',
  secret: '3f9a1c7be2d846509817abcdef43210fe',
  playerReturnUrl: 'http://127.0.0.1:4000/pass',
  playerOrigins: ['http://127.0.0.1:4000'],
}

/**
 * Starts the page for managers with settings that acts read too.
 * @param entry settings of the entry point, under the names of the file of entry points.
 * @param options of the page, such as reports in place of those of the video service.
 */
export async function startWithCommands(
  entry: object = {},
  more: Readonly<Record<string, string>> = {},
  options: Parameters<typeof startManager>[0] = {},
) {
  const folder = temporaryFolder()
  const file = join(folder, 'entry-points.json')
  writeFileSync(file, JSON.stringify([{ ...ENTRY, ...entry }]))
  const env = {
    PUBLIC_URL: 'http://localhost:3000',
    SESSION_SECRET: 'c04d8e1f5b7a926330e9d17f48c2ab65',
    GUESTS_STORE_URL: `sqlite:${join(folder, 'guests.db')}`,
    ENTRY_POINTS_FILE: file,
    ...more,
  }
  const entryPoints = () => readEntryPointSettings(env).entryPoints
  return Object.assign(await startManager({ ...options, env, entryPoints }), {
    entryPoints,
    guestsFile: join(folder, 'guests.db'),
  })
}

/** Returns the settings of a mail server without TLS. */
export function mailEnvironment({ port }: { readonly port: number }): Record<string, string> {
  return { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'login@example.com' }
}
