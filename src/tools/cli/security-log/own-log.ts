import { existsSync } from 'node:fs'
import { readActivitySettings } from '../../../config.ts'
import type { Environment } from '../../../settings/fields.ts'
import { rotatedFiles } from './log-lines.ts'

/** The files of the security log, the oldest first, or why there is none: a sentence without its full stop. */
export type OwnLog = { readonly files: readonly string[] } | { readonly missing: string }

/**
 * Finds the security log of the app with these settings.
 * @throws ConfigError if a setting is wrong, or the log is a pipe or a device.
 */
export async function findOwnLog(env: Environment): Promise<OwnLog> {
  const { securityLogFile: path } = readActivitySettings(env)
  const setting = `SECURITY_LOG_FILE is ${env.SECURITY_LOG_FILE || 'not set'}`
  if (path === null) return { missing: setting }
  const files = await rotatedFiles(path)
  // The file that the operator names must be there. The app can do without its own.
  if (env.SECURITY_LOG_FILE || files.some((file) => existsSync(file))) return { files }
  return { missing: `${setting}, and there is no ${path}` }
}
