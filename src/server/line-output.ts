import { closeSync, constants, fstatSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Writes lines to a file, pipe, socket or terminal. Never waits for a disk with space or for a reader. */
export interface LineOutput {
  /**
   * Writes the line before it returns, so that it survives the end of the process. If the reader is slow, the line
   * waits. If the output fails, or too many lines wait, the line is dropped and counted.
   */
  write(line: string): void
  /** The number of lines dropped since the start. */
  dropped(): number
  /** Writes the waiting lines as far as possible now. For the end of the process. */
  flush(): void
  /** Resolves when no line waits for a slow reader, at the latest after `withinMs`. */
  drained(withinMs: number): Promise<void>
}

export interface LineOutputOptions {
  /** Returns the line about dropped lines, which is written once when the output works again. */
  readonly noticeOf: (dropped: number) => string
  /** Called when the output begins to fail. Not called for a slow reader. */
  readonly onFault?: (error: unknown) => void
  readonly mostWaitingBytes?: number
}

const { O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants
const RETRY_MS = 20
/** About 3,000 lines. A pipe holds 64 kB more. */
const MOST_WAITING_BYTES = 1_000_000
const CHECK_FILE_MS = 1_000

/**
 * Creates an output for a file descriptor that does not block. Writes are synchronous: a blocked write in libuv's
 * thread pool would take a thread from the password checks, and would stop the process from ending.
 * @param descriptor called before each write.
 */
export function createLineOutput(
  descriptor: () => number,
  { noticeOf, onFault = () => {}, mostWaitingBytes = MOST_WAITING_BYTES }: LineOutputOptions,
): LineOutput {
  const queue = createQueue(descriptor)
  let state: 'works' | 'slow' | 'fails' = 'works'
  let dropped = 0
  let unreported = 0

  function drop(lines: number): void {
    dropped += lines
    unreported += lines
  }
  function flush(): void {
    try {
      queue.write()
      if (unreported > 0) queue.begin(Buffer.from(noticeOf(unreported)))
      unreported = 0
      queue.write()
      state = 'works'
    } catch (error) {
      const hadFailed = state === 'fails'
      state = isSlowReader(error) ? 'slow' : 'fails'
      setTimeout(flush, RETRY_MS).unref()
      if (state === 'slow') return
      drop(queue.clear())
      if (!hadFailed) onFault(error)
    }
  }
  return {
    write(line) {
      const bytes = Buffer.from(line)
      if (state === 'fails' || (state === 'slow' && queue.bytes() + bytes.length > mostWaitingBytes)) return drop(1)
      queue.add(bytes)
      if (state === 'works') flush()
    },
    dropped: () => dropped,
    flush,
    async drained(withinMs) {
      const untilMs = performance.now() + withinMs
      while (state === 'slow' && performance.now() < untilMs) await sleep(RETRY_MS)
    },
  }
}

/** Creates a queue of lines. The functions that write throw the error of the file system. */
function createQueue(descriptor: () => number) {
  const lines: Buffer[] = []
  let bytes = 0
  /** True if a part of the first line is written. The rest must follow, or two lines would become one. */
  let isFirstBegun = false

  function add(line: Buffer): void {
    lines.push(line)
    bytes += line.length
  }
  return {
    add,
    bytes: () => bytes,
    /** Writes all lines. */
    write(): void {
      for (let line = lines[0]; line !== undefined; line = lines[0]) {
        const written = writeSync(descriptor(), line)
        bytes -= written
        isFirstBegun = written < line.length
        if (isFirstBegun) lines[0] = line.subarray(written)
        else lines.shift()
      }
    },
    /** Writes the beginning of a line and queues its rest. The queue must be empty. */
    begin(line: Buffer): void {
      const written = writeSync(descriptor(), line)
      isFirstBegun = written < line.length
      if (isFirstBegun) add(line.subarray(written))
    },
    /** Removes the lines of which no part is written, and returns their number. */
    clear(): number {
      const kept = isFirstBegun ? 1 : 0
      const removed = lines.length - kept
      lines.length = kept
      bytes = lines[0]?.length ?? 0
      return removed
    },
  }
}

function isSlowReader(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}

/**
 * Returns a descriptor of standard output that does not block. A pipe or terminal is opened again, because other
 * processes share the first descriptor. A socket cannot be opened, nor the pipe of another user: creating
 * `process.stdout` makes them non-blocking.
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

/**
 * Opens a file for lines and creates it, and its folder, for this user only. After a rotation by renaming, the file is
 * opened again within a second; rotation by copying and truncating works too.
 * @returns the descriptor, for `createLineOutput`.
 * @throws NodeJS.ErrnoException if the file cannot be opened.
 */
export function openRotatedFile(path: string): () => number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  let descriptor = openToAppend(path)
  let checkedMs = performance.now()
  return () => {
    if (performance.now() - checkedMs < CHECK_FILE_MS) return descriptor
    checkedMs = performance.now()
    try {
      if (isSameFile(path, descriptor)) return descriptor
      const opened = openToAppend(path)
      closeSync(descriptor)
      descriptor = opened
    } catch {
      // The renamed file is better than none.
    }
    return descriptor
  }
}

function openToAppend(path: string): number {
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, 0o600)
}

function isSameFile(path: string, descriptor: number): boolean {
  const named = statSync(path, { throwIfNoEntry: false })
  const opened = fstatSync(descriptor)
  return named !== undefined && named.ino === opened.ino && named.dev === opened.dev
}
