import { Readable, Writable } from 'node:stream'

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
