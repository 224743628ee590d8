import type { Command } from 'commander'
import type { Outcome } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { DrillOptions } from './rehearse.ts'

/** The options of a drill, before they are checked. */
export interface GivenOptions extends Omit<DrillOptions, 'url'> {
  readonly url?: string
  readonly removeMadeUp?: string
}

/** A drill of a feature, in place of the usual one. A fork may delete it. */
export interface FeatureDrill {
  /** An example and sentences for the help. */
  readonly example: string
  readonly about: string
  addOptions(command: Command): Command
  /** True if the options ask for this drill. */
  isChosen(options: GivenOptions): boolean
  /** Returns the end of a sentence about wrong usage. Null if the options are right. */
  faultIn(options: GivenOptions, command: Command): string | null
  run(io: CommandIo, options: GivenOptions): Promise<Outcome>
}
