import { setTimeout as pause } from 'node:timers/promises'
import { OverloadedError } from '../../../errors.ts'
import { createQueue } from '../../../server/work-queue.ts'
import type { GuestRecords, RecordWrite } from '../../../services/guests/guest-records.ts'
import {
  type Counts,
  countsOf,
  NO_COUNTS,
  parseCounts,
  parseRegistration,
  type Registration,
  registrationText,
} from './registration.ts'

/** The subject of a mail to the guest. */
export type Notice =
  | 'waiting-for-approval'
  | 'on-waiting-list'
  | 'approved'
  | 'place-free'
  | 'place-free-waiting'
  | 'refused'
  | 'cancelled'

export interface BookDeps {
  readonly records: Pick<GuestRecords, 'read' | 'list' | 'write'>
  /** The name of the entry point. */
  readonly entryPoint: string
  /** The registrations are deleted at this UNIX time, in seconds. Null: they stay. */
  readonly deletesAtSeconds: number | null
  /** Returns the records of a mail. They are written together with the change, so that no mail is lost. */
  readonly mailOf: (registration: Registration, notice: Notice) => readonly RecordWrite[]
}

/** A registration as it was read. A write fails if it has changed since then. */
export interface Found {
  readonly registration: Registration
  readonly version: number
}

export type CountChange = Partial<Record<keyof Counts, number>>

/** A decision that was made with the numbers and records as they were read. */
export interface Decision<T> {
  readonly result: T
  /** Absent if there is nothing to change. */
  readonly steps?: readonly RecordWrite[]
  /** Added to the numbers of the entry point. */
  readonly change?: CountChange
}

const KIND = 'registration'
const COUNTS = 'registration-counts'
const WAITING_LIST = 'registration-waiting-list'
/** The kinds of all records with the data of guests. */
export const OWN_KINDS = [KIND, COUNTS, WAITING_LIST]
/** Changes of one entry point come one after the other. Another copy of the app can still come between. */
const MOST_ATTEMPTS = 40
const LONGEST_PAUSE_MS = 25
const QUEUE_LENGTH = 2_000
const LONGEST_WAIT_MS = 8_000
const MOST_MOVED = 500
const MOST_BOOKS = 1_000

/** Returns the names of the entry points that have registrations. */
export async function bookNames(records: BookDeps['records']): Promise<string[]> {
  return (await records.list(COUNTS, { limit: MOST_BOOKS })).map(({ key }) => key)
}

/**
 * Creates the records of the registrations of one entry point: each guest, the numbers, and the waiting list. They end
 * together, so that the next event begins with no number of this one. The end of the numbers is that of all.
 */
export function createBook({ records, entryPoint, deletesAtSeconds, mailOf }: BookDeps) {
  const queue = createQueue({ width: 1, queueLength: QUEUE_LENGTH, longestWaitMs: LONGEST_WAIT_MS })
  const prefix = `${entryPoint}/`
  const keyOf = (address: string) => prefix + address
  const turnKey = (turn: number) => prefix + String(turn).padStart(12, '0')

  /** Does the work after other changes of this copy, and again while it returns null: another copy then came between. */
  async function repeated<T>(work: () => Promise<{ readonly result: T } | null>): Promise<T> {
    return await queue.run(async () => {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const done = await work()
        if (done !== null) return done.result
        await pause(Math.random() * LONGEST_PAUSE_MS)
      }
      throw new OverloadedError('Too many registrations at the same time', 2)
    })
  }
  async function readCounts() {
    const record = await records.read(COUNTS, entryPoint)
    if (record === null) return { version: 'absent' as const, counts: NO_COUNTS, endsAtSeconds: deletesAtSeconds }
    const { version, text, endsAtSeconds } = record
    return { version, counts: parseCounts(text), endsAtSeconds: endsAtSeconds ?? deletesAtSeconds }
  }
  /** Moves the end of all records to `deletesAt`, and counts them. Returns false if another copy of the app came between. */
  async function moveEnd(): Promise<boolean> {
    const found = await records.read(COUNTS, entryPoint)
    if (found === null || found.endsAtSeconds === deletesAtSeconds) return true
    const texts = await moveEnds(records, KIND, prefix, deletesAtSeconds)
    if (texts === null || (await moveEnds(records, WAITING_LIST, prefix, deletesAtSeconds)) === null) return false
    const counts = JSON.stringify(countsOf(texts, parseCounts(found.text)))
    const own = { kind: COUNTS, key: entryPoint, if: found.version, text: counts, endsAtSeconds: deletesAtSeconds }
    return (await records.write([own])) !== null
  }
  async function find(address: string): Promise<Found | null> {
    const record = await records.read(KIND, keyOf(address))
    if (record === null) return null
    return { version: record.version, registration: parseRegistration(entryPoint, address, record.text) }
  }
  const withoutTurn = ({ turn }: Registration): RecordWrite[] =>
    turn === null ? [] : [{ kind: WAITING_LIST, key: turnKey(turn), text: null }]
  return {
    entryPoint,
    counts: async (): Promise<Counts> => (await readCounts()).counts,
    find,
    /** Returns the steps that store a registration, and its turn on the waiting list. @param before null for a new one. */
    stored(registration: Registration, before: Found | null, notice: Notice): RecordWrite[] {
      const { address, turn } = registration
      const kind = WAITING_LIST
      const text = JSON.stringify(address)
      const waits = turn === null ? [] : [{ kind, key: turnKey(turn), text }]
      const condition = { if: before?.version ?? ('absent' as const) }
      const own = { kind: KIND, key: keyOf(address), ...condition, text: registrationText(registration) }
      const mail = mailOf(registration, notice)
      return [own, ...waits, ...(before === null ? [] : withoutTurn(before.registration)), ...mail]
    },
    /** Returns the steps that delete a registration. */
    deleted: ({ registration, version }: Found): RecordWrite[] => [
      { kind: KIND, key: keyOf(registration.address), if: version, text: null },
      ...withoutTurn(registration),
    ],
    /** Returns the guest whose turn it is; null without one. */
    async first(): Promise<Found | null> {
      const [first] = await records.list(WAITING_LIST, { prefix, limit: 1 })
      return first === undefined ? null : await find(String(JSON.parse(first.text)))
    },
    /** Returns registrations in the order of their addresses. @param after the address before the first. */
    async list(after: string | undefined, limit: number): Promise<Registration[]> {
      const from = after === undefined ? {} : { after: keyOf(after) }
      const read = await records.list(KIND, { prefix, limit, ...from })
      return read.map(({ key, text }) => parseRegistration(entryPoint, key.slice(prefix.length), text))
    },
    /** Writes the steps and the numbers at once. Decides again if another copy of the app came between. */
    async decide<T>(decision: (counts: Counts) => Promise<Decision<T>>): Promise<T> {
      return await repeated(async () => {
        const { version, counts, endsAtSeconds } = await readCounts()
        const { result, steps, change = {} } = await decision(counts)
        if (steps === undefined) return { result }
        const own = { kind: COUNTS, key: entryPoint, if: version, text: JSON.stringify(added(counts, change)) }
        const ending = [...steps, own].map((step) =>
          OWN_KINDS.includes(step.kind) ? { ...step, endsAtSeconds } : step,
        )
        return (await records.write(ending)) === null ? null : { result }
      })
    },
    /** Lets all records end at `deletesAt`, which may have moved since they were stored. Counts what is stored. */
    async followDeletesAt(): Promise<void> {
      await repeated(async () => ((await moveEnd()) ? { result: undefined } : null))
    },
  }
}

export type Book = ReturnType<typeof createBook>

function added(counts: Counts, change: CountChange): Counts {
  const pairs = Object.entries(counts).map(([name, count]) => [name, count + (change[name as keyof Counts] ?? 0)])
  return Object.fromEntries(pairs)
}

/** Gives all records of a prefix another end. Returns their texts. Null if another copy of the app came between. */
async function moveEnds(
  records: BookDeps['records'],
  kind: string,
  prefix: string,
  endsAtSeconds: number | null,
): Promise<string[] | null> {
  const texts: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await records.list(kind, { prefix, limit: MOST_MOVED, ...(after !== undefined && { after }) })
    const moved = page.map(({ key, text, version }) => ({ kind, key, text, if: version, endsAtSeconds }))
    if (moved.length > 0 && (await records.write(moved)) === null) return null
    texts.push(...page.map(({ text }) => text))
    after = page.at(-1)?.key
    if (page.length < MOST_MOVED) return texts
  }
}
