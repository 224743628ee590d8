import type { OptionalStore } from '../../server/monitoring/readiness.ts'

/**
 * The promise of the guests store: small records of all features with guests, by kind and key. A feature adds kinds, never
 * tables. Every kind of store keeps the same promise, and one contract suite tests it.
 */

/** A record that has not ended. */
export interface GuestRecord {
  readonly key: string
  /** What the feature stored, usually JSON. The feature parses it as outside data. */
  readonly text: string
  /** Changes with each write. A record never has the same number twice, not even after it was deleted. */
  readonly version: number
  /** UNIX time in seconds. From then on, the record is absent. Null for a record without an end. */
  readonly endsAtSeconds: number | null
}

/** One step of a batch. */
export interface RecordWrite {
  readonly kind: string
  readonly key: string
  /**
   * The condition: the version that the record must have, or `absent`. Without one, the step always applies, and the last
   * writer wins.
   */
  readonly if?: number | 'absent'
  /** Null deletes the record, which then must not be `absent`. */
  readonly text: string | null
  /** UNIX time in seconds. Default: no end. */
  readonly endsAtSeconds?: number | null
}

export interface RecordPage {
  /** Default: all keys. */
  readonly prefix?: string
  /** The last key of the page before. */
  readonly after?: string
  /** 1,000 at most. */
  readonly limit: number
}

/** Records for the app, and for commands while it runs. Functions throw an UpstreamError if the store does not answer. */
export interface GuestRecords {
  /** Null for a record that is absent, or has ended. */
  read(kind: string, key: string): Promise<GuestRecord | null>
  /** Returns records in the order of their keys. */
  list(kind: string, page: RecordPage): Promise<readonly GuestRecord[]>
  /** Returns the number of records that have not ended. */
  count(kind: string, prefix?: string): Promise<number>
  /**
   * Applies all steps, or none: no other writer, no fault and no kill can come between them.
   * @param writes 1 to 1,000 steps, with at most one for each record.
   * @returns the new version of all written records. Null if a condition did not hold.
   * @throws RangeError for a kind, a key, a text or a batch that no store takes.
   */
  write(writes: readonly RecordWrite[]): Promise<number | null>
}

/** An open guests store. */
export interface GuestStore extends GuestRecords {
  /** @throws UpstreamError if the store does not answer. */
  checkHealth(): Promise<void>
  /**
   * Deletes some records that have ended: of one kind, or of all. Copies of the app can do so at the same time.
   * @returns their number. Zero if none is left that no other writer holds.
   */
  prune(kind?: string | null): Promise<number>
  /** False after a use that failed, until one succeeds. */
  isAvailable(): boolean
  /** As that of an `OptionalStore`. */
  readonly nowSeconds?: OptionalStore['nowSeconds']
  close(): Promise<void>
}

export const MOST_WRITES = 1_000
/** A batch holds its lock for some milliseconds. */
export const MOST_PRUNED = 500
const KIND = /^[a-z][a-z0-9-]{0,39}$/
/** ASCII, so that the order of keys and the end of a prefix are the same in all stores. */
const KEY = /^[\x21-\x7e]{1,400}$/
const PREFIX = /^[\x21-\x7e]{0,400}$/
const LONGEST_TEXT = 100_000
/** Sorts after every character of a key: the end of the keys with a prefix. */
const AFTER_ALL = '\x7f'

/** Lists all records of a kind, page by page. */
export async function* allRecords(records: Pick<GuestRecords, 'list'>, kind: string, prefix = '') {
  for (let after: string | undefined; ; ) {
    const page = await records.list(kind, { prefix, limit: MOST_WRITES, ...(after !== undefined && { after }) })
    yield* page
    after = page.at(-1)?.key
    if (page.length < MOST_WRITES) return
  }
}

/** Returns the steps in the order of their records, so that two batches cannot deadlock. @throws RangeError */
export function orderedWrites(writes: readonly RecordWrite[]): readonly RecordWrite[] {
  if (writes.length === 0 || writes.length > MOST_WRITES) throw new RangeError(`A batch has 1 to ${MOST_WRITES} steps`)
  for (const { kind, key, text, if: condition } of writes) {
    assertRecord(kind, key)
    if (text === null && condition === 'absent') throw new RangeError('A step without a record changes nothing')
    // Some databases cannot store NUL.
    if (text !== null && (text.length > LONGEST_TEXT || text.includes('\0')))
      throw new RangeError('The text is too long')
  }
  const sorted = writes.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  const isTwice = sorted.some((one, index) => index > 0 && nameOf(one) === nameOf(sorted[index - 1] ?? one))
  if (isTwice) throw new RangeError('A batch has one step for each record at most')
  return sorted
}

/** @throws RangeError for a kind or a key that no store takes. */
export function assertRecord(kind: string, key: string): void {
  if (!KIND.test(kind) || !KEY.test(key)) throw new RangeError(`No record can have this kind or key: ${kind}`)
}

/** Returns the bounds of a page: keys are after `after`, from `from` on, and before `before`. @throws RangeError */
export function boundsOf(kind: string, prefix: string, after = '') {
  if (!KIND.test(kind) || !PREFIX.test(prefix)) throw new RangeError(`No record can have this kind or prefix: ${kind}`)
  return { after, from: prefix, before: `${prefix}${AFTER_ALL}` }
}

function nameOf({ kind, key }: Pick<RecordWrite, 'kind' | 'key'>): string {
  return `${kind} ${key}`
}
