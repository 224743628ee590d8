import { constants } from 'node:os'

/** npm passes on the Ctrl-C that the terminal has sent already, so one key press may come twice. */
const SAME_KEY_PRESS_MS = 300

/**
 * Calls the listener at the first Ctrl-C. A second one ends the program; by process.exit(), since what tidies up at the
 * end would not run after a signal.
 * @returns what takes the listener away.
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
    // An interrupted program is about to end; the same key press coming once more must not kill it on the way.
    if (interruptedAtMs === null) process.off('SIGINT', interrupt)
  }
}
