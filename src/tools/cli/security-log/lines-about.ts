import type { Environment } from '../../../settings/fields.ts'
import { linesOfFile } from './log-lines.ts'
import { findOwnLog } from './own-log.ts'
import { type SecurityEvent, securityEvents, startReading } from './security-events.ts'

/** Returns all that the security log has about a viewer, the oldest first. @throws ConfigError as `findOwnLog`. */
export async function linesAbout(env: Environment, viewer: string): Promise<SecurityEvent[]> {
  const log = await findOwnLog(env)
  const events: SecurityEvent[] = []
  for (const file of 'files' in log ? log.files : []) {
    const filter = { period: null, viewer, outcomes: [] }
    for await (const event of securityEvents(linesOfFile(file), filter, startReading())) events.push(event)
  }
  return events
}
