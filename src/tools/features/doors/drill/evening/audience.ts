import type { Command } from 'commander'
import type { Timetable } from '../../../../cli/drill/crowd/timetable.ts'

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
