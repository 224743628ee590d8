import { constants } from 'node:os'
import { Readable, Writable } from 'node:stream'

/** npm forwards a Ctrl-C that the terminal has already sent, so one key press may arrive twice. */
const SAME_KEY_PRESS_MS = 300

/** The environment, streams and interrupts of a command. Tests pass their own. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of the file .env. Default: the current folder. */
  readonly folder?: string
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  /**
   * Calls the listener at the first Ctrl-C, instead of ending the program. A second Ctrl-C ends it.
   * @returns a function that removes the listener.
   */
  readonly onInterrupt: (listener: () => void) => () => void
}

/** Returns the streams of work that no terminal asks for. They are empty, their output is lost, and no Ctrl-C stops the work. */
export function ioWithoutTerminal(env: CommandIo['env']): CommandIo {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  return { env, stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere(), onInterrupt: () => () => {} }
}

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

/** Returns a signal that the first Ctrl-C aborts, until the end of the scope. Declare it with `using`. */
export function stopOnInterrupt(io: Pick<CommandIo, 'onInterrupt'>) {
  const stop = new AbortController()
  return { signal: stop.signal, [Symbol.dispose]: io.onInterrupt(() => stop.abort()) }
}
