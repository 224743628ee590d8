import type { Command } from 'commander'
import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { CommandContext, Outcome } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'

export type Parameters = readonly (readonly [name: string, value: string])[]

/** An answer in place of the hash, which `response` also builds and checks. */
export interface OtherAnswer {
  /** The parameter of an address that contains it. */
  readonly parameter: string
  readonly buildExample: string
  readonly buildNote: string
  readonly checkNote: string
  /** Builds the answer of an entry point. Null if the entry point has another answer. */
  build(io: CommandIo, entryPoint: EntryPoint, parameters: Parameters, hasLifetime: boolean): Promise<Outcome> | null
  /** Returns a note on a response that may be meant as this answer. */
  noteOnHash(config: Config, entryPoint: EntryPoint, parameters: Parameters): string | null
  /** Checks the text if it is such an answer. Null for another text. */
  check(io: CommandIo, entryPoints: readonly EntryPoint[], text: string): Promise<Outcome> | null
  /** Adds commands of its own. */
  addCommands(group: Command, context: CommandContext): void
}
