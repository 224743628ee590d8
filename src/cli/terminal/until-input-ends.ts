import type { CommandIo } from './io.ts'

/**
 * Asks, and takes the end of the input for a refusal: at Ctrl-D the prompt itself would wait for ever, and Node end in
 * the middle with a warning of its own.
 * @param ask given a signal that cancels it.
 */
export async function untilInputEnds<T>(
  input: CommandIo['stdin'],
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  let isAnswered = false
  // The prompt pauses its input after an answer too, and gives that first.
  const look = () =>
    setImmediate(() => {
      if (!isAnswered) ended.abort()
    })
  const events = ['pause', 'end', 'close']
  for (const event of events) input.on(event, look)
  try {
    return await ask(ended.signal)
  } finally {
    isAnswered = true
    for (const event of events) input.off(event, look)
  }
}
