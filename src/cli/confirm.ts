import type { CommandIo } from './answer.ts'
import { printable } from './terminal-text.ts'
import { untilInputEnds } from './until-input-ends.ts'

/**
 * Asks before something is changed.
 * @param yes the option `--yes`: do not ask.
 * @returns why it is not to be done; null when it is.
 */
export async function faultInConfirmation(
  io: CommandIo,
  yes: boolean | undefined,
  question: string,
): Promise<string | null> {
  if (yes) return null
  if (!io.stdin.isTTY) return 'Nobody is here to be asked: add --yes to do it all the same. Nothing was changed.'
  // Loaded for people only: scripts start sooner.
  const { confirm } = await import('@clack/prompts')
  const message = printable(question)
  const confirmed = await untilInputEnds(io.stdin, (signal) =>
    confirm({ message, initialValue: false, input: io.stdin, output: io.stderr, signal }),
  )
  return confirmed === true ? null : 'Not confirmed; nothing was changed.'
}
