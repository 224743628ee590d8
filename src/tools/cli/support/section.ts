import type { Command } from 'commander'
import type { HasSettingsCheck } from '../settings/config-command.ts'
import type { HasOtherStore } from '../settings/store-command.ts'
import { type Outcome, outcomeOf } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { Lazy } from '../terminal/lazy.ts'

/** A part of the bundle. */
export interface BundleSection {
  /** The name of its field in the file. */
  readonly field: string
  addOptions?(command: Command): Command
  /** Returns data for JSON. An error becomes a sentence in the file. */
  collect(source: Source): Promise<unknown>
}

export interface Source {
  readonly env: CommandIo['env']
  /** For acts, without input and output. */
  readonly io: CommandIo
  /** The tools of the features. */
  readonly features: readonly (HasSettingsCheck & HasOtherStore)[]
  readonly signal: AbortSignal
  /** The options of the command. */
  readonly options: object
}

/** The part of a feature that `support bundle` uses. */
export interface HasBundleSection {
  readonly support?: Lazy<BundleSection>
}

/** Returns the data of an act, or its fault, for JSON. */
export async function dataOf(work: () => Promise<Outcome>): Promise<unknown> {
  const outcome = await outcomeOf(work)
  return outcome.ok ? outcome.data : { error: outcome.fault }
}
