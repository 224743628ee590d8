import { tmpdir } from 'node:os'
import { runHere } from '../tools/cli/run-here.ts'
import { type Block, table } from './block.ts'

interface DocumentedCommand {
  /** Such as `viewers add`. */
  readonly name: string
  readonly summary: string
  /** The options that its help names, such as `--json`. */
  readonly options: readonly string[]
}

/** Lists the commands that the help of the command line names, in its order. */
export async function commandsOf(path: readonly string[] = []): Promise<DocumentedCommand[]> {
  const { stdout } = await runHere([...path, '--help'], { cwd: tmpdir() })
  const [, list = ''] = stdout.split('\nCommands:\n')
  const terms = [...list.matchAll(/^ {2}([a-z-]+(?:, [a-z-]+)*)/gm)].map(([, term = '']) => term)
  const names = terms.flatMap((term) => term.split(', '))
  if (names.length > 0) return (await Promise.all(names.map((name) => commandsOf([...path, name])))).flat()
  const [, summary = ''] = /^Usage: .+\n\n([\s\S]+?)\n\n/.exec(stdout) ?? []
  const options = stdout.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []
  return [{ name: path.join(' '), summary: summary.replaceAll('\n', ' '), options }]
}

/** The table of all commands. Their arguments are only in the help, because other parts add some. */
export const commandTable: Block = {
  name: 'commands',
  file: 'src/tools/cli/README.md',
  async lines() {
    const commands = await commandsOf()
    return table(
      ['command', 'summary'],
      commands.map(({ name, summary }) => [`\`viewer-auth ${name}\``, summary]),
    )
  },
}
