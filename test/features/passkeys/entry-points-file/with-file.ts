import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

/** Returns settings with a file of one entry point. */
export function withFile(fields: object) {
  const { HASH_SECRET: secret, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS: origin, ...others } = SETTINGS
  const file = join(temporaryFolder(), 'entry-points.json')
  const entry = { name: 'news', secret, playerReturnUrl, playerOrigins: [origin], ...fields }
  writeFileSync(file, JSON.stringify([entry]))
  return { ...others, ENTRY_POINTS_FILE: file }
}
