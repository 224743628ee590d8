import type { Readable, Writable } from 'node:stream'

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
