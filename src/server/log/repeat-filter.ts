import type { Logger } from 'pino'

/** A kind of line that may repeat without end. */
export interface LineKind {
  /** A fixed text. Input of a client would make the number of kinds unlimited. */
  readonly key: string
  /** Writes the sum of the lines that were left out. */
  readonly writeSum: (sum: RepeatSum) => void
}

export interface RepeatSum {
  /** The number of lines that were left out within a minute. */
  readonly more: number
  /** The network of the client; "others" for the networks beyond the limit; absent for a fault of the app. */
  readonly address?: string
}

export type RepeatFilter = ReturnType<typeof createRepeatFilter>

/** Writes a warning about a fault of the app. Repetitions of event and message within a minute are only counted. */
export type WarnOnce = (line: { readonly event: string; readonly err: unknown }, message?: string) => void

export function warnOnceAMinute(log: Pick<Logger, 'warn'>, repeatFilter: RepeatFilter): WarnOnce {
  return (line, message) => {
    const { event } = line
    const kind = { key: event, writeSum: (sum: RepeatSum) => log.warn({ event, ...sum }) }
    if (repeatFilter.isNew(kind, undefined, message)) log.warn(line, message)
  }
}

const MINUTE_MS = 60_000
const LINES_PER_NETWORK = 100
/** Limits the memory to about 10 MB. Clients choose networks and details. */
const MOST_LINES = 10_000

/**
 * Keeps repeated lines out of the log: the first is written, the others of the same minute are counted. So an attack
 * fills no disk, and a refusal stays cheap.
 */
export function createRepeatFilter(everyMs: number = MINUTE_MS, mostLines: number = MOST_LINES) {
  const sums = new Map<string, { kind: LineKind; network: string | undefined; lines: number; more: number }>()
  const written = new Set<string>()
  let timer: NodeJS.Timeout | null = null

  /** Writes all sums now, instead of a minute after the first line. */
  function end(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const ended = [...sums.values()]
    sums.clear()
    written.clear()
    for (const { kind, network, more } of ended) {
      if (more > 0) kind.writeSum({ more, ...(network !== undefined && { address: network }) })
    }
  }
  const keyOf = (kind: LineKind, network = '') => `${kind.key}\n${network}`
  return {
    /**
     * True if the line must be written. False if it is only counted.
     * @param network the network of the client that caused it.
     * @param detail lines of one kind and network are different if they differ in this, up to 100 in a minute.
     */
    isNew(kind: LineKind, network?: string, detail = ''): boolean {
      timer ??= setTimeout(end, everyMs).unref()
      // Clients must not hide the faults of the app, which have no network.
      const isFull = network !== undefined && written.size >= mostLines
      const isBeyondLimit = isFull && !sums.has(keyOf(kind, network))
      const counted = isBeyondLimit ? 'others' : network
      const sum = sums.get(keyOf(kind, counted)) ?? { kind, network: counted, lines: 0, more: 0 }
      sums.set(keyOf(kind, counted), sum)
      const line = `${keyOf(kind, network)}\n${detail}`
      if (isFull || sum.lines >= LINES_PER_NETWORK || written.has(line)) {
        sum.more += 1
        return false
      }
      written.add(line)
      sum.lines += 1
      return true
    },
    end,
  }
}
