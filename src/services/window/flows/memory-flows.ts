import { OverloadedError } from '../../../errors.ts'
import type { FlowKind, FlowStore } from './flow-store.ts'

/** About 1 kB each. */
const MOST_RECORDS = 50_000
const RETRY_SECONDS = 60
const AGAIN_SECONDS = 10

interface Kept {
  readonly record: unknown
  readonly endsAtSeconds: number
  /** The form that has taken it. */
  readonly taker?: string
}

/**
 * Creates a store in the memory of this process, for an app with one copy. A full store refuses new records instead of
 * dropping older ones, which belong to viewers who are signing in.
 * @param nowSeconds UNIX time in seconds.
 */
export function createMemoryFlows(nowSeconds: () => number, mostRecords = MOST_RECORDS): FlowStore {
  const records = new Map<string, Map<string, Kept>>()

  function recordsOf({ name }: FlowKind<unknown>): Map<string, Kept> {
    const known = records.get(name) ?? new Map<string, Kept>()
    records.set(name, known)
    return known
  }
  /** All records of a kind have the same time, so the oldest end first. */
  function removeEnded(kept: Map<string, Kept>): void {
    for (const [key, { endsAtSeconds }] of kept) {
      if (endsAtSeconds > nowSeconds()) return
      kept.delete(key)
    }
  }
  function read<T>(kind: FlowKind<T>, key: string, taker?: string): T | null {
    const kept = recordsOf(kind).get(key)
    const isThere = kept !== undefined && kept.endsAtSeconds > nowSeconds()
    return isThere && (kept.taker === undefined || kept.taker === taker) ? (kept.record as T) : null
  }
  return {
    put(kind, key, record) {
      const kept = recordsOf(kind)
      removeEnded(kept)
      if (kept.size >= mostRecords)
        return Promise.reject(new OverloadedError('Too many sign-ins are open', RETRY_SECONDS))
      kept.delete(key)
      kept.set(key, { record, endsAtSeconds: nowSeconds() + kind.seconds })
      return Promise.resolve()
    },
    take(kind, key, taker) {
      const kept = recordsOf(kind)
      const record = read(kind, key, taker)
      if (record !== null && kept.get(key)?.taker === undefined) {
        if (taker === undefined) kept.delete(key)
        else kept.set(key, { record, taker, endsAtSeconds: nowSeconds() + AGAIN_SECONDS })
      }
      return Promise.resolve(record)
    },
    read: (kind, key) => Promise.resolve(read(kind, key)),
    has: (kind, key) => Promise.resolve(read(kind, key) !== null),
    close: () => {},
  }
}
