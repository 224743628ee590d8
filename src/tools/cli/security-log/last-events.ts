import { features } from '../../../features.ts'
import { type Outcomes, SIGN_IN_OUTCOMES } from '../../../login/log/sign-in-log.ts'
import { linesOfFile, rotatedFiles } from './log-lines.ts'
import { type SecurityEvent, securityEvents, startReading } from './security-events.ts'

/** The newest lines of a viewer in the security log; null where there is none. */
export interface LastEvents {
  /** A sign-in with a password, or at an identity provider. */
  readonly signIn: SecurityEvent | null
  readonly refusal: SecurityEvent | null
}

const OUTCOMES: Outcomes = Object.assign({}, SIGN_IN_OUTCOMES, ...features.map(({ outcomes }) => outcomes))

/** True for an outcome that refuses the viewer. A step on the way, such as an opened window, refuses no viewer. */
function isRefusal(outcome: string): boolean {
  return OUTCOMES[outcome]?.level !== 'info' && !outcome.endsWith('-not-yet')
}

/**
 * Finds the last sign-in of a viewer, and the last refusal. Reads the rotated files of the log, the newest first, until
 * one of them has a sign-in: a refusal in an older file has been followed by it.
 * @throws ConfigError if a file cannot be read.
 */
export async function lastEventsOf(securityLogFile: string, viewer: string): Promise<LastEvents> {
  const filter = { period: null, viewer, outcomes: [] }
  let refusal: SecurityEvent | null = null
  for (const file of (await rotatedFiles(securityLogFile)).toReversed()) {
    const found: { -readonly [Name in keyof LastEvents]: LastEvents[Name] } = { signIn: null, refusal: null }
    for await (const event of securityEvents(linesOfFile(file), filter, startReading())) {
      if (event.outcome === 'signed-in') found.signIn = event
      else if (event.event === 'sign-in' && isRefusal(event.outcome)) found.refusal = event
    }
    refusal ??= found.refusal
    if (found.signIn !== null) return { signIn: found.signIn, refusal }
  }
  return { signIn: null, refusal }
}
