import type { Command } from 'commander'
import type { CapturedRun } from '../captured-run.ts'
import type { Lazy } from '../lazy.ts'
import type { CommandIo } from '../terminal/io.ts'

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
  readonly signal: AbortSignal
  /** The options of the command. */
  readonly options: object
  /** Runs another command, and returns what it printed. */
  run(args: readonly string[]): Promise<CapturedRun>
}

/** The part of a feature that `support bundle` uses. */
export interface HasBundleSection {
  readonly support?: Lazy<BundleSection>
}

/** Runs a command with `--json` and returns its data, or its error. */
export async function dataOf({ run }: Source, args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await run([...args, '--json'])
  const printed = stdout || stderr
  try {
    return JSON.parse(printed)
  } catch {
    return { error: printed }
  }
}
