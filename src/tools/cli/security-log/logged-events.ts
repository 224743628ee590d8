import { features } from '../../../features.ts'
import { type Outcomes, SIGN_IN_OUTCOMES } from '../../../login/log/sign-in-log.ts'
import { guestWayOf, identityFields, identityText } from '../guest-ways.ts'
import { linesOfFile } from './log-lines.ts'
import { findOwnLog, type OwnLog } from './own-log.ts'
import { type SecurityEvent, securityEvents } from './security-events.ts'

interface ShownEvent extends Omit<SecurityEvent, 'event' | 'viewer' | 'status' | 'count' | 'requestId'> {
  /** The way in of a guest. Null for other viewers. */
  readonly guestWayIn: string | null
}
/** The newest sign-in and the newest refusal of a viewer. */
export interface LastEvents {
  readonly signIn: SecurityEvent | null
  readonly refusal: SecurityEvent | null
}
type Line = readonly [label: string, value: string]
/** Runs work that may fail, for example because a file cannot be read. @returns null if it failed. */
type Part = <T>(work: Promise<T>) => Promise<T | null>

/** Returns the events of a viewer in the security log, for `viewers show`. Times are ISO 8601, in UTC. */
export async function loggedEvents(env: Readonly<Record<string, string | undefined>>, viewer: string, part: Part) {
  const log = await part(findOwnLog(env))
  const last = log && 'files' in log ? await part(lastEventsOf(log.files, viewer)) : null
  return shownEvents(log, last)
}

/** Returns the last events as `viewers show` prints them. @param log null if it cannot be read. */
export function shownEvents(log: OwnLog | null, last: LastEvents | null) {
  const lastSignIn = shownEvent(last?.signIn)
  const lastRefusal = shownEvent(last?.refusal)
  const textOf = (event: ShownEvent | null) =>
    log && 'missing' in log ? `not known: ${log.missing}` : eventText(event)
  const lines: Line[] = [
    ['Last sign-in', textOf(lastSignIn)],
    ['Last refusal', textOf(lastRefusal)],
  ]
  return {
    fields: { lastSignIn, lastRefusal },
    lines,
    isKnown: lastSignIn !== null || lastRefusal !== null,
    issuer: lastSignIn?.issuer ?? null,
  }
}

function shownEvent(event: SecurityEvent | null | undefined): ShownEvent | null {
  if (!event) return null
  const { time, outcome, reason, code, address, entryPoint, device, issuer, subject } = event
  const guestWayIn = issuer === null ? null : guestWayOf(issuer)
  return { time, outcome, reason, code, address, entryPoint, device, issuer, subject, guestWayIn }
}

function eventText(event: ShownEvent | null): string {
  if (event === null) return 'none in the log'
  const { time, outcome, reason, code, address, entryPoint, device, issuer, subject } = event
  const cause = [code, reason].filter((part) => part !== null).join(', ')
  const why = outcome === 'signed-in' ? '' : `: ${outcome}${cause === '' ? '' : ` (${cause})`}`
  const identity = identityText(identityFields(issuer === null || subject === null ? null : { issuer, subject }))
  const from = device === null ? '' : ` (${device})`
  return `${time} from ${address ?? '?'}${from}, entry point ${entryPoint ?? '?'}${identity}${why}`
}

export const OUTCOMES: Outcomes = Object.assign({}, SIGN_IN_OUTCOMES, ...features.map(({ outcomes }) => outcomes))

/** True for an outcome that refuses the viewer. A step on the way, such as an opened window, refuses no viewer. */
export function isRefusal(outcome: string): boolean {
  return OUTCOMES[outcome]?.level !== 'info' && !outcome.endsWith('-not-yet')
}

/**
 * Finds the newest sign-in and the newest refusal of a viewer; null where there is none. Reads the newest file first,
 * until one of them has a sign-in: older refusals no longer matter.
 * @param files the oldest first.
 * @throws ConfigError if a file cannot be read.
 */
export async function lastEventsOf(files: readonly string[], viewer: string): Promise<LastEvents> {
  let refusal: SecurityEvent | null = null
  for (const file of files.toReversed()) {
    const found: { -readonly [Name in keyof LastEvents]: LastEvents[Name] } = { signIn: null, refusal: null }
    for await (const event of securityEvents(linesOfFile(file), { viewer })) {
      if (event.outcome === 'signed-in') found.signIn = event
      else if (event.event === 'sign-in' && isRefusal(event.outcome)) found.refusal = event
    }
    refusal ??= found.refusal
    if (found.signIn !== null) return { signIn: found.signIn, refusal }
  }
  return { signIn: null, refusal }
}
