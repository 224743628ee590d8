import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../../config.ts'
import { openNamedFile } from '../../../server/log/log-files.ts'

/** Returns a sentence if the start could not open the file that SECURITY_LOG_FILE names, or create its folder. */
export function faultsOfLog({ securityLog }: Pick<Config, 'securityLog'>): string[] {
  // The app also starts without a file that no setting names.
  if (securityLog?.open !== openNamedFile) return []
  const file = resolve(securityLog.path)
  let nearest = file
  while (!existsSync(nearest)) nearest = dirname(nearest)
  try {
    // With the slash, a file in place of a folder is refused.
    accessSync(nearest === file ? file : `${nearest}/`, constants.W_OK)
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return [`SECURITY_LOG_FILE cannot be opened (${code}). Set a file that this user may write.`]
  }
}
