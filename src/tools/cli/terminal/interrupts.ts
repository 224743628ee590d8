import { constants } from 'node:os'

/** npm forwards a Ctrl-C that the terminal has already sent, so one key press may arrive twice. */
const SAME_KEY_PRESS_MS = 300

/**
 * Calls the listener at the first Ctrl-C. A second Ctrl-C ends the program with process.exit(), because a signal would
 * skip the exit handlers that clean up.
 * @returns a function that removes the listener.
 */
export function onInterrupt(listener: () => void, nowMs: () => number = () => performance.now()): () => void {
  let interruptedAtMs: number | null = null
  const interrupt = () => {
    const atMs = nowMs()
    if (interruptedAtMs === null) {
      interruptedAtMs = atMs
      listener()
    } else if (atMs - interruptedAtMs > SAME_KEY_PRESS_MS) {
      process.exit(128 + constants.signals.SIGINT)
    }
  }
  process.on('SIGINT', interrupt)
  return () => {
    // Keeps the listener after an interrupt: the second copy of the same key press must not kill the ending program.
    if (interruptedAtMs === null) process.off('SIGINT', interrupt)
  }
}
