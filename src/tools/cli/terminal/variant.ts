import type { Command } from 'commander'
import { addExamples, addNotes, type CommandContext, type Outcome } from './command.ts'
import { type Lazy, loadAll } from './lazy.ts'

/** Another way to do a command of the core, which its options choose. */
export interface Variant<F = unknown> {
  readonly example: string
  /** A paragraph of the help. */
  readonly about: string
  addOptions(command: Command): Command
  /**
   * Does the work, if the options choose it. Else returns null.
   * @param command reports a wrong usage with `error()`, which ends the program.
   */
  run(context: CommandContext<F>, command: Command): Promise<Outcome> | null
}

/** What a feature adds to commands of the core, by the name of the command, such as `secret generate`. */
export interface HasVariants<F = unknown> {
  readonly variants?: Readonly<Record<string, Lazy<Variant<F>>>>
}

/** Adds the options, the help and the examples of the variants of a command. */
export async function addVariants<F>(
  command: Command,
  name: string,
  features: readonly HasVariants<F>[],
): Promise<readonly Variant<F>[]> {
  const variants = await loadAll(features.map((feature) => feature.variants?.[name]))
  for (const { addOptions, about, example } of variants) {
    addOptions(addNotes(command, about))
    addExamples(command, [example])
  }
  return variants
}
