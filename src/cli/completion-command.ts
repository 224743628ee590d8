import { Argument, type Command, type Option } from 'commander'
import { COMPLETION_SCRIPTS } from './completion-scripts.ts'
import { answer, type CommandContext, leafCommand } from './terminal/io.ts'

/** A place in the command line, and what can be written there. */
export interface CompletedCommand {
  /** The words that lead there, joined by spaces; empty for the program itself. */
  readonly path: string
  readonly words: readonly CompletedWord[]
  /** What follows an option that takes a value: one of these, or where empty a file or a text. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[]
}

interface CompletedWord {
  readonly word: string
  readonly summary: string
}

const SHELLS = Object.keys(COMPLETION_SCRIPTS)

/** `completion SHELL`: what makes a shell complete commands and options, and know the program by its short name. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  leafCommand(program, 'completion', 'print what makes a shell complete these commands, for its start file', [
    'source <(npm run -s viewer-auth -- completion bash)   # in ~/.bashrc; likewise for zsh',
    'npm run -s viewer-auth -- completion fish | source    # in config.fish',
  ])
    .addHelpText('after', '\nFiles in the arguments are named from the folder of the project, wherever the shell is.')
    .addArgument(new Argument('<SHELL>', 'whose words to use').choices(SHELLS))
    .action((shell: keyof typeof COMPLETION_SCRIPTS, { json }: { json?: boolean }) =>
      answer(context, json, () => {
        const script = COMPLETION_SCRIPTS[shell](completedCommands(program))
        return Promise.resolve({ ok: true, text: script.trimEnd(), data: { script } })
      }),
    )
}

/** Every place that commands lead to, the program first. */
function completedCommands(program: Command, path: readonly string[] = []): CompletedCommand[] {
  const subcommands = program.commands.map((command) => ({ word: command.name(), summary: command.description() }))
  const options = program.options.filter(({ long }) => long !== undefined)
  const help = { word: '--help', summary: 'show how it is used' }
  const own = {
    path: path.join(' '),
    words: [...subcommands, ...choicesOf(program.registeredArguments), ...options.map(wordOf), help],
    values: options
      .filter(({ required, optional }) => required || optional)
      .map((option) => ({ option: option.long ?? '', choices: option.argChoices ?? [] })),
  }
  return [own, ...program.commands.flatMap((command) => completedCommands(command, [...path, command.name()]))]
}

function wordOf({ long, description }: Option): CompletedWord {
  return { word: long ?? '', summary: description }
}

function choicesOf(taken: readonly Argument[]): CompletedWord[] {
  return taken.flatMap(({ argChoices, description }) =>
    (argChoices ?? []).map((word) => ({ word, summary: description })),
  )
}
