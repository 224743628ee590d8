import { accessSync, constants, existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../../config.ts'
import { openNamedFile } from '../../../server/log/log-files.ts'

/**
 * Returns a sentence if the start could not open the file that SECURITY_LOG_FILE names. Leaves no file, and no folder
 * that it creates.
 */
export function faultsOfLog({ securityLog }: Pick<Config, 'securityLog'>): string[] {
  // The app also starts without a file that no setting names.
  if (securityLog?.open !== openNamedFile) return []
  const file = securityLog.path
  const missing: string[] = []
  let folder = resolve(dirname(file))
  for (; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder)
  const created: string[] = []
  try {
    accessSync(existsSync(file) ? file : folder, constants.W_OK)
    // One by one: with `recursive`, Node never returns from a folder below /proc.
    for (const path of missing) {
      mkdirSync(path)
      created.unshift(path)
    }
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return [`SECURITY_LOG_FILE cannot be opened (${code}). Set a file that this user may write.`]
  } finally {
    for (const path of created) rmdirSync(path)
  }
}
