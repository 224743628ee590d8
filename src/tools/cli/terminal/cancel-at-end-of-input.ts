import type { CommandIo } from './io.ts'

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
