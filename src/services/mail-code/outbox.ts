import type { GuestRecord, GuestRecords, RecordWrite } from '../guests/guest-records.ts'
import type { Seal } from '../pass/seal.ts'
import { createLanes, createPause, placeOf } from './lanes.ts'
import { Content, KIND, keyAt, type OutboxMail, outboxStep, Row, stepOf } from './outbox-records.ts'

/**
 * The mails that wait, as records of the guests store: no kill loses one. Copies of the app share the work. Each takes some
 * for seconds, renews this time while it sends them, and deletes them. A copy that dies in between leaves them to the
 * others, so a mail may come twice, with the same code.
 */
export type Outbox = ReturnType<typeof createOutbox>

/** `retry` for a fault that may pass; `away` if that fault is not of this mail alone. */
export type Delivery = 'done' | 'retry' | 'away'

export interface OutboxDeps {
  readonly records: GuestRecords
  readonly seal: Seal
  readonly nowMs: () => number
  /** Sends a mail, or decides not to send it. Logs the outcome. */
  readonly deliver: (mail: OutboxMail) => Promise<Delivery>
  /** Called with a fault of the store, or of the work itself. */
  readonly onFault: (error: unknown) => void
  readonly pollMs?: number
  readonly leaseMs?: number
}

/** With more waiting mails than this, new mails are refused. */
export const MOST_WAITING = 50_000
const BATCH = 10
const PAGE = 100
/** A viewer waits no longer for a mail of a copy that died. */
const LEASE_MS = 6_000
const LONGEST_PAUSE_MS = 60_000
const POLL_MS = 1_000
const AWAY_MS = 5_000
const LATE_MS = 30_000
const SHORT_WAIT_MS = 50
/**
 * A new mail waits for a random time. The work for a mail depends on the address. Without the wait, this work would slow
 * down the answer to the request, or the next answer to the same caller.
 */
const QUIET_MS = { least: 30, most: 150 }

/** Creates the outbox, and begins to send. */
export function createOutbox(deps: OutboxDeps) {
  const { records, seal, nowMs, onFault, pollMs = POLL_MS, leaseMs = LEASE_MS } = deps
  const placeIn = createLanes(nowMs)
  const pause = createPause()
  const wakeLater = lateWaker(pause)
  const endedLeases = watchLeases(leaseMs)
  const state = { waiting: 0, oldestMs: Number.POSITIVE_INFINITY, isAway: false, isClosed: false }

  /** Sends the next mails. @returns how long to wait then. */
  async function sendNext(): Promise<number> {
    const page = await records.list(KIND, { limit: PAGE })
    state.waiting = page.length < PAGE ? page.length : await records.count(KIND)
    const rows = page.map((record) => ({ record, row: Row.parse(JSON.parse(record.text)) }))
    state.oldestMs = Math.min(Number.POSITIVE_INFINITY, ...rows.map(({ row }) => row.atMs))
    const ended = endedLeases(page)
    const isFree = ({ key }: GuestRecord, row: Row) => (row.isTaken ? ended.has(key) : row.leasedUntilMs <= nowMs())
    const free = rows.filter(({ record, row }) => isFree(record, row)).map(({ record }) => record)
    const batch = free.slice(0, BATCH)
    if (batch.length === 0) return pollMs
    const held = await lease(deps, batch, leaseMs)
    // Another copy took one of them.
    if (held === null) return Math.random() * SHORT_WAIT_MS
    const results = await Promise.all(batch.map((one) => deliverOne(deps, one))).finally(held.stop)
    const version = await held.stop()
    const delivered = results.map(({ delivery, stepsAt }) => ({ delivery, steps: stepsAt(version) }))
    // One commit for all: with one each, the disk would limit the mails per second.
    const done = delivered.flatMap(({ delivery, steps }) => (delivery === 'done' ? steps : []))
    if (done.length > 0) await records.write(done)
    for (const { delivery, steps } of delivered) if (delivery !== 'done') await records.write(steps)
    state.isAway = delivered.some(({ delivery }) => delivery === 'away')
    if (state.isAway) return AWAY_MS
    // A new mail ends this pause, after its quiet time.
    return batch.length < BATCH ? pollMs : 0
  }
  async function run(): Promise<void> {
    while (!state.isClosed) {
      const waitMs = await sendNext().catch((error: unknown) => {
        onFault(error)
        return AWAY_MS
      })
      if (waitMs > 0 && !state.isClosed) await pause.wait(waitMs)
    }
  }
  void run()
  return {
    /** Returns the step that adds a mail, for the batch that stores its code. @param lane takes turns with the other lanes. */
    stepFor: (mail: OutboxMail, lane: string): RecordWrite => outboxStep(seal, mail, placeIn(lane)),
    /** Sends soon: a mail was added. */
    wake(): void {
      if (!state.isAway) wakeLater()
    },
    /** The mails that wait, as this copy last saw. */
    waiting: () => state.waiting,
    /** True while mails are late: the server fails, or there are more than it takes. */
    isLate: () => state.isAway || nowMs() - state.oldestMs > LATE_MS,
    close(): void {
      state.isClosed = true
      pause.wake()
    },
  }
}

/** Returns a function that ends a pause after the quiet time. Calls within this time count as one. */
function lateWaker(pause: Pick<ReturnType<typeof createPause>, 'wake'>): () => void {
  let isPlanned = false
  function wake(): void {
    isPlanned = false
    pause.wake()
  }
  return () => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(wake, QUIET_MS.least + Math.random() * (QUIET_MS.most - QUIET_MS.least)).unref()
  }
}

/**
 * Returns a function that finds the records which did not change for the time of a lease: their copy died. It measures the
 * time itself, because the clocks of copies can differ.
 */
function watchLeases(leaseMs: number): (page: readonly GuestRecord[]) => ReadonlySet<string> {
  let seenAtMs = new Map<number, number>()
  return (page) => {
    const now = performance.now()
    seenAtMs = new Map(page.map(({ version }) => [version, seenAtMs.get(version) ?? now]))
    const ended = page.filter(({ version }) => now - (seenAtMs.get(version) ?? now) >= leaseMs)
    return new Set(ended.map(({ key }) => key))
  }
}

/** Takes mails, and keeps them until `stop()` returns their version. Null if another copy took one of them. */
async function lease(
  { records, nowMs, onFault }: Pick<OutboxDeps, 'records' | 'nowMs' | 'onFault'>,
  found: readonly GuestRecord[],
  leaseMs: number,
): Promise<{ stop(): Promise<number> } | null> {
  const take = (version?: number) =>
    records.write(
      found.map((one) => {
        const row = { ...Row.parse(JSON.parse(one.text)), leasedUntilMs: nowMs() + leaseMs, isTaken: true }
        return { ...stepOf(one.key, row, one.endsAtSeconds), if: version ?? one.version }
      }),
    )
  const taken = await take()
  if (taken === null) return null
  let version = Promise.resolve(taken)
  async function renew(before: Promise<number>): Promise<number> {
    const known = await before
    return (await take(known).catch(onFault)) ?? known
  }
  const renewal = setInterval(() => {
    version = renew(version)
  }, leaseMs / 3).unref()
  return {
    stop() {
      clearInterval(renewal)
      return version
    },
  }
}

/**
 * Returns the steps that delete a mail which is done, or move it behind the mails that are due before it. In its old place,
 * a hundred mails that fail again and again would hold back all others.
 */
async function deliverOne(
  { seal, nowMs, deliver }: OutboxDeps,
  { key, text, endsAtSeconds }: GuestRecord,
): Promise<{ readonly delivery: Delivery; readonly stepsAt: (version: number) => readonly RecordWrite[] }> {
  const row = Row.parse(JSON.parse(text))
  const content = seal.open(row.sealed, key)
  // Sealed with an earlier SESSION_SECRET: it cannot be read, and its code is no longer valid.
  const delivery = content === null ? 'done' : await deliver(Content.parse(JSON.parse(content)))
  const removal = { kind: KIND, key, text: null }
  if (content === null || delivery === 'done') return { delivery, stepsAt: () => [removal] }
  const leasedUntilMs = nowMs() + Math.min(2 ** row.tries * AWAY_MS, LONGEST_PAUSE_MS)
  // Mails are not slow for all viewers because one mailbox takes none at the moment.
  const atMs = delivery === 'retry' ? leasedUntilMs : row.atMs
  const newKey = keyAt(placeOf(leasedUntilMs))
  const again = { atMs, leasedUntilMs, tries: row.tries + 1, sealed: seal.seal(content, newKey) }
  // Not after another copy took it: there would be two of it.
  return { delivery, stepsAt: (version) => [{ ...removal, if: version }, stepOf(newKey, again, endsAtSeconds)] }
}
