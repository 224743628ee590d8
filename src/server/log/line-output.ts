import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export type LineOutput = ReturnType<typeof createLineOutput>

export interface LineOutputOptions {
  /** Returns the line about dropped lines, which is written once when the output works again. */
  readonly noticeOf: (dropped: number) => string
  /** Called when the output begins to fail. Not called for a slow reader. */
  readonly onFault?: (error: unknown) => void
  readonly mostWaitingBytes?: number
}

const RETRY_MS = 20
/** About 3,000 lines. A pipe holds 64 kB more. */
const MOST_WAITING_BYTES = 1_000_000

/**
 * Creates an output of lines for a file descriptor that does not block. Never waits for space, nor for a reader. Writes
 * are synchronous: in libuv's thread pool, a blocked write would occupy a thread and keep the process from ending.
 * @param descriptor called before each write, with its bytes. May throw: the lines are then dropped.
 */
export function createLineOutput(
  descriptor: (bytes: number) => number,
  { noticeOf, onFault = () => {}, mostWaitingBytes = MOST_WAITING_BYTES }: LineOutputOptions,
) {
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
      if (unreported > 0) queue.writeNow(Buffer.from(noticeOf(unreported)))
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
    /**
     * Writes the line before it returns, so that it survives the end of the process. If the reader is slow, the line
     * waits. If the output fails, or too many lines wait, the line is dropped and counted.
     */
    write(line: string) {
      const bytes = Buffer.from(line)
      if (state === 'fails' || (state === 'slow' && queue.bytes() + bytes.length > mostWaitingBytes)) return drop(1)
      queue.add(bytes)
      if (state === 'works') flush()
    },
    /** The number of lines dropped since the start. */
    dropped: () => dropped,
    /** Writes as many waiting lines as possible now. Call at the end of the process. */
    flush,
    /** Resolves when no line waits for a slow reader, at the latest after `withinMs`. */
    async drained(withinMs: number): Promise<void> {
      const untilMs = performance.now() + withinMs
      while (state === 'slow' && performance.now() < untilMs) await sleep(RETRY_MS)
    },
  }
}

/** Creates a queue of lines. `write` and `writeNow` throw the error of the file system. */
function createQueue(descriptor: (bytes: number) => number) {
  const lines: Buffer[] = []
  let bytes = 0
  /** True if a part of the first line is written. Its rest must be written before other lines. */
  let isFirstCut = false

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
        const written = writeSync(descriptor(line.length), line)
        bytes -= written
        isFirstCut = written < line.length
        if (isFirstCut) lines[0] = line.subarray(written)
        else lines.shift()
      }
    },
    /** Writes a line, and queues its rest if only a part was written. The queue must be empty. */
    writeNow(line: Buffer): void {
      const written = writeSync(descriptor(line.length), line)
      isFirstCut = written < line.length
      if (isFirstCut) add(line.subarray(written))
    },
    /** Removes all lines except a cut one, and returns their number. */
    clear(): number {
      const kept = isFirstCut ? 1 : 0
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
