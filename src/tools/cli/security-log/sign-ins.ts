import { readActivitySettings } from '../../../config.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import type { CommandIo } from '../terminal/io.ts'
import { linesOfFile, rotatedFiles } from './log-lines.ts'
import { OUTCOMES } from './logged-events.ts'
import { securityEvents } from './security-events.ts'

/** A viewer may wait or answer a question before the line `signed-in`, and the session begins with the sign-in. */
const SIGN_INS = Object.keys(OUTCOMES).filter((outcome) => OUTCOMES[outcome]?.isSignIn)

/** A sign-in in the security log. */
export interface LoggedSignIn {
  readonly usernameKey: string
  /** UNIX time. */
  readonly seconds: number
  readonly address: string | null
  readonly entryPoint: string | null
  readonly device: string | null
}

/**
 * Visits the sign-ins in the files of SECURITY_LOG_FILE. Returns false without a log.
 * @throws ConfigError if a file cannot be read.
 */
export async function visitSignIns(env: CommandIo['env'], visit: (signIn: LoggedSignIn) => void): Promise<boolean> {
  const file = readActivitySettings(env).securityLogFile
  if (file === null) return false
  for (const path of await rotatedFiles(file)) {
    for await (const event of securityEvents(linesOfFile(path), { outcomes: SIGN_INS })) {
      const { viewer, time, address, entryPoint, device } = event
      if (viewer === null) continue
      visit({ usernameKey: usernameKey(viewer), seconds: Date.parse(time) / 1000, address, entryPoint, device })
    }
  }
  return true
}
