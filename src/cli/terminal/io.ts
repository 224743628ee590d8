import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { ConfigError, OverloadedError, UpstreamError } from '../../errors.ts'
import { printableJson, printableLines } from './text.ts'

/** All that a command knows of the world. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  /**
   * Calls the listener at the first Ctrl-C instead of ending the program; a second one ends it.
   * @returns what takes the listener away.
   */
  readonly onInterrupt: (listener: () => void) => () => void
}

export interface CommandContext {
  readonly io: CommandIo
  /** What the program ends with unless the usage was wrong: 0 done, 1 refused or failed. */
  readonly setStatus: (status: 0 | 1) => void
}

export type Outcome =
  /** What people read, and what `--json` gives; neither for a command that has written its answer itself. */
  | {
      readonly ok: true
      readonly text?: string
      readonly data?: object
      /** True when something was refused on the way to the answer. */
      readonly isPartial?: boolean
    }
  /** A whole sentence that says what to do where something can be done. */
  | { readonly ok: false; readonly fault: string }

/** Declares a word that only leads to commands. */
export function groupCommand(program: Command, name: string, summary: string): Command {
  return program.command(name).description(summary).helpCommand(false)
}

/** Declares a command that does something. */
export function leafCommand(group: Command, usage: string, summary: string, examples: readonly string[]): Command {
  return group
    .command(usage)
    .description(summary)
    .option('--json', 'answer in JSON')
    .addHelpText('after', ['', 'Examples:', ...examples.map((example) => `  $ ${example}`)].join('\n'))
}

/** Runs the work of a command and says what came of it: results on standard output, refusals on standard error. */
export async function answer(
  { io, setStatus }: CommandContext,
  json: boolean | undefined,
  work: () => Promise<Outcome>,
): Promise<void> {
  const outcome = await work().catch((error: unknown): Outcome => ({ ok: false, fault: faultOf(error) }))
  if (!outcome.ok) {
    setStatus(1)
    writeFault(io, json, outcome.fault)
    return
  }
  if (outcome.isPartial) setStatus(1)
  if (json && outcome.data) io.stdout.write(`${printableJson(outcome.data)}\n`)
  else if (!json && outcome.text !== undefined) io.stdout.write(`${printableLines(outcome.text)}\n`)
}

/** Says on standard error why nothing was done. */
export function writeFault({ stderr }: CommandIo, json: boolean | undefined, fault: string): void {
  const text = `${styleText('red', 'Failed:', { stream: stderr })} ${printableLines(fault)}`
  stderr.write(`${json ? printableJson({ error: fault }) : text}\n`)
}

/** What went wrong in a sentence, never a stack. */
export function faultOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof UpstreamError || error instanceof OverloadedError) {
    return error.message
  }
  return `Something broke that this program did not expect: ${error instanceof Error ? error.message : String(error)}`
}
