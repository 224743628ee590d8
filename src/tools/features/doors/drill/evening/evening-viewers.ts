import type { Command } from 'commander'
import { responseIn } from '../../../../cli/drill/crowd/expected-response.ts'
import type { Timetable } from '../../../../cli/drill/crowd/timetable.ts'
import { comeBack, type Entry, signIn, type Visitor } from '../../../../cli/drill/crowd/visit.ts'
import type { ScreenLimit } from '../../../../cli/drill/drill-part.ts'
import type { EveningTimes, PlannedEvening } from './evening-plan.ts'

/**
 * Watches with a response until it is time to leave, or the drill is stopped.
 * @param returnAddress the address of the player, to which the app led the viewer.
 * @param leavesMs in milliseconds since the start.
 * @returns false if the viewer cannot watch.
 */
export type Watch = (returnAddress: URL, response: string, timetable: Timetable, leavesMs: number) => Promise<boolean>

/** A service at which viewers of an evening watch. A fork may delete it. */
export interface Audience {
  addOptions(command: Command): Command
  /** Null if the options do not ask for this service. */
  open(options: object): Watch | null
}

/** An evening, and what viewers did besides signing in and coming back. */
export interface Evening {
  readonly times: EveningTimes
  /** Null without a limit. */
  readonly screens: ScreenLimit | null
  /** Null if the evening ends at the player. */
  readonly watch: Watch | null
  /** True for each viewer who watched, false for each who could not. */
  readonly watched: boolean[]
  /** For each viewer with too many screens: true if one screen was refused. */
  readonly noticed: boolean[]
  /** The tries after the end. */
  readonly late: Entry[]
}

/** Lets a viewer watch, open more screens, and try again after the end. */
export async function goOn(
  { moreScreensAfterMs, afterEnd, leavesMs }: PlannedEvening,
  visitor: Visitor,
  { isIn, atMs, location }: Entry,
  { times, screens, watch, watched, noticed, late }: Evening,
): Promise<void> {
  const response = responseIn(location)
  const address = new URL(location ?? visitor.url)
  const watching = response === null ? undefined : watch?.(address, response, visitor.timetable, leavesMs)
  const sharesMs = atMs + (moreScreensAfterMs ?? Number.POSITIVE_INFINITY)
  if (isIn && screens !== null && sharesMs < times.closesMs - 4 * visitor.typingMs) {
    noticed.push(await isExcessNoticed(visitor, sharesMs, screens))
  }
  if (afterEnd !== null) {
    late.push(await (afterEnd.how === 'session' ? comeBack : signIn)(visitor, afterEnd.atMs))
  }
  await watching?.then((isWatched) => watched.push(isWatched))
}

/** Signs in on more screens than the limit. Then the first screen comes back: one of them is refused. */
async function isExcessNoticed(visitor: Visitor, dueMs: number, { most, reason }: ScreenLimit): Promise<boolean> {
  const entries: Entry[] = []
  let atMs = dueMs
  for (let screen = 0; screen < most; screen += 1) {
    const browser = visitor.openOther()
    const entry = await signIn({ ...visitor, browser }, atMs)
    browser.close()
    entries.push(entry)
    atMs = entry.atMs
  }
  entries.push(await comeBack(visitor, atMs + visitor.typingMs))
  return entries.some((entry) => entry.reason === reason)
}
