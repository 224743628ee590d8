import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Coded, ConfigError, isOutage } from '../../../errors.ts'
import type { CommandIo } from './io.ts'
import type { Lazy } from './lazy.ts'
import { printableJson, printableParagraphs } from './text.ts'

/** Adds options, commands and help to a command that is declared. `F`: the parts of features that it uses. */
export type Definition<F = unknown> = (command: Command, context: CommandContext<F>) => void | Promise<void>

/** A command of `viewer-auth`. */
export interface RootCommand<F = unknown> {
  readonly name: string
  readonly summary: string
  /** The command whose line in the help names this one too. */
  readonly beside?: string
  /** Default: a group of commands. */
  readonly declare?: typeof addGroup
  /** Loads the code of the command, only if the command is among the arguments: `--help` takes half the time. */
  readonly load: Lazy<Definition<F>>
}

/** `F`: the parts of features that the command uses. */
export interface CommandContext<F = unknown> {
  readonly io: CommandIo
  /** The tools of the features, in the order of their list. */
  readonly features: readonly F[]
  /** The exit status of the program: 0 done, 1 refused or failed. Wrong usage ends with 2 in any case. */
  status: 0 | 1
}

export type Outcome =
  /** `text` is printed by default, `data` with `--json`. A command that prints while it works returns neither. */
  | {
      readonly ok: true
      readonly text?: string
      readonly data?: object
      /** True if a part was refused or is wrong: the exit status is then 1. */
      readonly isPartial?: boolean
    }
  | Refused

/** Full sentences: the fault, then what to do. */
export interface Refused extends Coded {
  readonly ok: false
  readonly fault: string
}

/** The result of an act. A command prints it, and a page shows it. */
export type ActResult<T> = { readonly ok: true; readonly data: T } | Refused

/** Declares a group of commands, such as `viewers`. */
export function addGroup(program: Command, name: string, summary: string): Command {
  return program.command(name).description(summary).helpCommand(false)
}

/** Declares a command with `--json` and with examples in its help. */
export function addCommand(group: Command, usage: string, summary: string, examples: readonly string[]): Command {
  return addExamples(addBareCommand(group, usage, summary), examples)
}

/** Declares a command with `--json`. */
export function addBareCommand(group: Command, usage: string, summary: string): Command {
  return group.command(usage).description(summary).option('--json', 'print JSON')
}

/** Adds examples to the help of a command. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText('after', ['', 'Examples:', ...examples.map((example) => `  $ ${example}`)].join('\n'))
}

/** Adds a paragraph at the end of the help, as wide as the terminal. Line breaks in the text count as spaces. */
export function addNotes(command: Command, text: string): Command {
  return command.addHelpText('after', () => {
    const widthColumns = command.configureOutput().getOutHelpWidth?.() ?? 80
    return `\n${command.createHelp().boxWrap(text.trim().replace(/\s+/g, ' '), widthColumns)}`
  })
}

/** Does the work of a command or an act. An error becomes its fault. */
export async function outcomeOf<T>(work: () => Promise<T>): Promise<T | Refused> {
  return await work().catch((error: unknown): Refused => {
    return { ok: false, fault: messageOf(error), ...codedIn(error) }
  })
}

/** Does the work of a command. Prints the result on standard output, or the failure on standard error. */
export async function runCommand(
  context: Pick<CommandContext, 'io' | 'status'>,
  json: boolean | undefined,
  work: () => Promise<Outcome>,
): Promise<void> {
  const outcome = await outcomeOf(work)
  if (!outcome.ok) {
    context.status = 1
    printFailure(context.io, json, outcome.fault)
    return
  }
  if (outcome.isPartial) context.status = 1
  const { stdout } = context.io
  if (json && outcome.data) stdout.write(`${printableJson(outcome.data)}\n`)
  else if (!json && outcome.text !== undefined) stdout.write(`${printableParagraphs(outcome.text, stdout)}\n`)
}

/** Prints a failure on standard error, as text or as JSON. */
export function printFailure({ stderr }: CommandIo, json: boolean | undefined, fault: string): void {
  const text = printableParagraphs(`Failed: ${fault}`, stderr).replace('Failed:', (word) =>
    styleText('red', word, { stream: stderr }),
  )
  stderr.write(`${json ? printableJson({ error: fault }) : text}\n`)
}

/** Returns the name of an error for a page. */
function codedIn(error: unknown): Coded {
  if (isOutage(error)) return { code: 'away' }
  return error instanceof ConfigError ? error.coded : {}
}

/** Returns the message of an error in one sentence, never a stack. */
export function messageOf(error: unknown): string {
  if (error instanceof ConfigError || isOutage(error)) {
    return error.message
  }
  return `Unexpected error: ${error instanceof Error ? error.message : String(error)}`
}
