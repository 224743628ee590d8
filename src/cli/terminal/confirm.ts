import type { CommandIo } from './io.ts'
import { printable } from './text.ts'
import { untilInputEnds } from './until-input-ends.ts'

/**
 * Asks a person before something is taken away that was named. A script that names it has nobody to ask, and means it.
 * @param yes the option `--yes`: do not ask.
 * @returns why it is not to be done; null when it is.
 */
export async function faultInRemoval(
  io: CommandIo,
  yes: boolean | undefined,
  question: string,
): Promise<string | null> {
  return io.stdin.isTTY ? await faultInConfirmation(io, yes, question) : null
}

/**
 * Asks before something is changed in a way that only the command itself has worked out.
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
