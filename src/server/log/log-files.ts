import { closeSync, constants, fstatSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { ConfigError } from '../../errors.ts'

const { O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants
const CHECK_FILE_MS = 1_000

/** A file for the security log. */
export interface SecurityLogFile {
  readonly path: string
  /** Returns a function that returns the descriptor for a write of so many bytes. Null if the app does without. */
  readonly open: (path: string, log: Pick<Logger, 'warn'>) => ((bytes: number) => number) | null
}

/**
 * Returns a descriptor of standard output that does not block. Opens a pipe or terminal again, because other processes
 * share the first descriptor. A socket, or the pipe of another user, cannot be opened again: there, creating
 * `process.stdout` makes the first descriptor non-blocking.
 */
export function standardOutput(): number {
  if (fstatSync(1).isFile()) return 1
  try {
    return openSync('/dev/fd/1', O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    void process.stdout
    return 1
  }
}

/** Opens the file that SECURITY_LOG_FILE names. @throws ConfigError */
export function openNamedFile(path: string): () => number {
  try {
    return openRotatedFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const fault = `SECURITY_LOG_FILE cannot be opened (${code}). Set a file that this user may write.`
    throw new ConfigError(fault, { cause })
  }
}

/**
 * Opens a file for lines and creates it, and its folder, for this user only. After a rotation by renaming, the file is
 * opened again within a second; rotation by copying and truncating works too.
 * @returns a function for `createLineOutput` that returns the descriptor. It throws if the file was deleted and cannot be
 *   created again.
 * @throws NodeJS.ErrnoException if the file cannot be opened.
 */
export function openRotatedFile(path: string): () => number {
  let descriptor = openToAppend(path)
  let checkedMs = performance.now()
  return () => {
    if (performance.now() - checkedMs < CHECK_FILE_MS) return descriptor
    try {
      if (!isSameFile(path, descriptor)) {
        const opened = openToAppend(path)
        closeSync(descriptor)
        descriptor = opened
      }
    } catch (error) {
      // The app continues with a renamed file, but the lines of a deleted file would be lost.
      if (fstatSync(descriptor).nlink === 0) throw error
    }
    checkedMs = performance.now()
    return descriptor
  }
}

function openToAppend(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, 0o600)
}

function isSameFile(path: string, descriptor: number): boolean {
  const named = statSync(path, { throwIfNoEntry: false })
  const opened = fstatSync(descriptor)
  return named !== undefined && named.ino === opened.ino && named.dev === opened.dev
}
