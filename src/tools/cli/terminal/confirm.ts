import type { Refused } from './command.ts'
import type { CommandIo } from './io.ts'
import { printable } from './text.ts'

export type Confirmation = { readonly ok: true } | Refused

/** Asks before an act changes something. */
export type Confirm = (question: string) => Promise<Confirmation>

/** For an act that was confirmed before, such as on a page. */
export const isConfirmed: Confirm = () => Promise.resolve({ ok: true })

/**
 * Asks for confirmation of a removal, at a terminal only. In a script the removal needs no confirmation.
 * @param yes the option `--yes`: do not ask.
 */
export async function confirmRemoval(io: CommandIo, yes: boolean | undefined, question: string): Promise<Confirmation> {
  return io.stdin.isTTY ? await confirmChange(io, yes, question) : { ok: true }
}

/**
 * Asks for confirmation of a change. Refuses the change without a terminal, unless `yes` is set.
 * @param yes the option `--yes`: do not ask.
 */
export async function confirmChange(io: CommandIo, yes: boolean | undefined, question: string): Promise<Confirmation> {
  if (yes) return { ok: true }
  if (!io.stdin.isTTY) {
    return {
      ok: false,
      fault: 'Cannot ask for confirmation without a terminal. Nothing was changed. Use --yes to proceed.',
    }
  }
  // Loaded only at a terminal, so that scripts start sooner.
  const { confirm } = await import('@clack/prompts')
  const message = printable(question)
  const confirmed = await cancelAtEndOfInput(io.stdin, (signal) =>
    confirm({ message, initialValue: false, input: io.stdin, output: io.stderr, signal }),
  )
  return confirmed === true ? { ok: true } : { ok: false, fault: 'Not confirmed. Nothing was changed.' }
}

/**
 * Shows a prompt, and cancels it when the input ends (Ctrl-D). Otherwise the prompt would wait forever, and Node would
 * exit with a warning.
 * @param prompt gets a signal that cancels it.
 */
export async function cancelAtEndOfInput<T>(
  input: CommandIo['stdin'],
  prompt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inputEnded = new AbortController()
  let isAnswered = false
  // The prompt pauses its input after an answer too. setImmediate lets the answer arrive first.
  const cancelUnlessAnswered = () =>
    setImmediate(() => {
      if (!isAnswered) inputEnded.abort()
    })
  const events = ['pause', 'end', 'close']
  for (const event of events) input.on(event, cancelUnlessAnswered)
  try {
    return await prompt(inputEnded.signal)
  } finally {
    isAnswered = true
    for (const event of events) input.off(event, cancelUnlessAnswered)
  }
}
