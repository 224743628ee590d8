import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** Two reads this far apart must agree: editors and Excel write a file in pieces. */
const PAUSE_MS = 100
/** A list that has lost more than half of its items counts after this time. */
const STAND_MS = 60_000
const MOST_BYTES = 100_000_000
/** A larger file is read again only if its time, size or number has changed. */
const SMALL_BYTES = 100_000

export interface WatchOptions<T> {
  readonly everyMs: number
  readonly mostBytes?: number
  readonly standMs?: number | undefined
  readonly read?: (path: string) => Promise<Buffer>
  /** The contents from which the first value comes. Absent to read them at the first turn. */
  readonly startContents?: readonly Buffer[]
  /** @throws Error with the end of a sentence for contents that cannot be used. */
  parse(contents: readonly Buffer[]): T | Promise<T>
  /** Returns the items of a list. Absent for another file. */
  itemsOf?(value: T): Iterable<string>
  /** Called with the numbers of items that are new, and that are gone. */
  onChange(value: T, came: number, went: number): void
  /** Called once for each state of the files. The value stays as it was. */
  onFault(fault: string): void
}

export interface WatchedFiles<T = unknown> {
  readonly current: () => T
  readonly close: () => void
}

/** The contents of the files. A fault is their only content, so that it is compared like them. */
type State = { readonly contents: readonly Buffer[]; readonly fault?: string }

/**
 * Watches files that belong together. Every feature that reads files while the app runs uses this function.
 * - A change counts after two equal reads. Contents that cannot be read or used change nothing.
 * - A list that has lost more than half of its items changes nothing until it has stood for a minute.
 * The reads are asynchronous: a file system that hangs stops no request.
 */
export function watchFiles<T>(paths: readonly string[], start: T, options: WatchOptions<T>): WatchedFiles<T> {
  const { everyMs, mostBytes = MOST_BYTES, standMs = STAND_MS, startContents, itemsOf = () => [] } = options
  const read = options.read ?? fileReader(mostBytes)
  let value = start
  let settled: State | null = startContents ? { contents: startContents } : null
  let waiting: { readonly list: State; readonly untilMs: number } | null = null
  let isReading = false

  async function readAll(): Promise<State> {
    try {
      return { contents: await Promise.all(paths.map(read)) }
    } catch (error) {
      const fault = `cannot be read (${(error as NodeJS.ErrnoException).code})`
      return { contents: [Buffer.from(fault)], fault }
    }
  }
  async function lookAgain(): Promise<void> {
    const state = await readAll()
    if (isSame(state, settled)) {
      waiting = null
      return
    }
    const isWaiting = waiting !== null && isSame(state, waiting.list)
    if (waiting !== null && isWaiting && Date.now() < waiting.untilMs) return
    await sleep(Math.min(PAUSE_MS, everyMs), undefined, { ref: false })
    if (!isSame(await readAll(), state)) return
    try {
      if (state.fault !== undefined) throw new Error(state.fault)
      const next = await options.parse(state.contents)
      const before = new Set(itemsOf(value))
      const items = new Set(itemsOf(next))
      const stayed = [...items].filter((item) => before.has(item)).length
      const went = before.size - stayed
      if (went > stayed && !isWaiting) {
        waiting = { list: state, untilMs: Date.now() + standMs }
        options.onFault(`has lost ${went} of ${before.size} items: it counts when it has stood for ${standMs / 1000} s`)
        return
      }
      const isChanged = !isDeepStrictEqual(next, value)
      value = next
      if (isChanged) options.onChange(next, items.size - stayed, went)
    } catch (error) {
      options.onFault((error as Error).message)
    }
    settled = state
    waiting = null
  }
  const timer = setInterval(async () => {
    if (isReading) return
    isReading = true
    await lookAgain()
    isReading = false
  }, everyMs).unref()
  return { current: () => value, close: () => clearInterval(timer) }
}

function isSame(one: State, other: State | null): boolean {
  return other !== null && isDeepStrictEqual(one, other)
}

/** Returns a function that reads a file, but no pipe or device. */
function fileReader(mostBytes: number): (path: string) => Promise<Buffer> {
  let known = { state: '', content: Buffer.of() }
  return async (path) => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const status = await handle.stat()
      if (!status.isFile() || status.size > mostBytes)
        throw Object.assign(new Error(), { code: `not a file of up to ${mostBytes / 1e6} MB` })
      const state = `${path} ${status.mtimeMs} ${status.size} ${status.ino}`
      if (status.size < SMALL_BYTES || state !== known.state) known = { state, content: await handle.readFile() }
      return known.content
    } finally {
      await handle.close()
    }
  }
}
