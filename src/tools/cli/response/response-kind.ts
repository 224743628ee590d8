import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { Outcome } from '../command.ts'
import type { Lazy } from '../lazy.ts'
import type { CommandIo } from '../terminal/io.ts'

export type Parameters = readonly (readonly [name: string, value: string])[]

/** A kind of response besides the hash, which `response` also builds and checks. */
export interface ResponseKind {
  /** The parameter of an address that contains the response. */
  readonly parameter: string
  readonly buildExample: string
  readonly buildNote: string
  readonly checkNote: string
  /** Builds the response of an entry point. Null if the entry point has another kind. */
  build(io: CommandIo, entryPoint: EntryPoint, parameters: Parameters, hasLifetime: boolean): Promise<Outcome> | null
  /** Returns a note on a response with a hash that may be meant as this kind. */
  noteOnHash(config: Config, entryPoint: EntryPoint, parameters: Parameters): string | null
  /** Checks a text of this kind. Null for another text. */
  check(io: CommandIo, entryPoints: readonly EntryPoint[], text: string): Promise<Outcome> | null
}

/** The part of a feature that `response` uses. */
export interface HasResponseKind {
  readonly responseKind?: Lazy<ResponseKind>
}
