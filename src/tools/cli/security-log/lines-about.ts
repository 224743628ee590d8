import type { Environment } from '../../../settings/fields.ts'
import { linesOfFile } from './log-lines.ts'
import { findOwnLog } from './own-log.ts'
import { type SecurityEvent, securityEvents } from './security-events.ts'

/** A line of a log about a viewer. */
export interface LineAbout extends SecurityEvent {
  readonly file: string
}

/** Returns all that the security log has about a viewer, the oldest first. @throws ConfigError as `findOwnLog`. */
export async function linesAbout(env: Environment, viewer: string): Promise<LineAbout[]> {
  const log = await findOwnLog(env)
  return 'files' in log ? await linesIn(log.files, viewer) : []
}

/** Returns all that files have about a viewer. @throws ConfigError if one cannot be read. */
export async function linesIn(files: readonly string[], viewer: string): Promise<LineAbout[]> {
  const found: LineAbout[] = []
  for (const file of files) {
    for await (const event of securityEvents(linesOfFile(file), { viewer })) found.push({ file, ...event })
  }
  return found
}
