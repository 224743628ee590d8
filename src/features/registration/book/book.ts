import { setTimeout as pause } from 'node:timers/promises'
import { OverloadedError } from '../../../errors.ts'
import { createQueue } from '../../../server/work-queue.ts'
import type { GuestRecords, RecordWrite } from '../../../services/guests/guest-records.ts'
import {
  type Counts,
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
/** Changes of one entry point come one after the other. Another copy of the app can still come between. */
const MOST_ATTEMPTS = 40
const LONGEST_PAUSE_MS = 25
const QUEUE_LENGTH = 2_000
const LONGEST_WAIT_MS = 8_000

/** Creates the records of the registrations of one entry point: each guest, the numbers, and the waiting list. */
export function createBook({ records, entryPoint, deletesAtSeconds, mailOf }: BookDeps) {
  const queue = createQueue({ width: 1, queueLength: QUEUE_LENGTH, longestWaitMs: LONGEST_WAIT_MS })
  const ends = { endsAtSeconds: deletesAtSeconds }
  const prefix = `${entryPoint}/`
  const keyOf = (address: string) => prefix + address
  const turnKey = (turn: number) => prefix + String(turn).padStart(12, '0')

  async function readCounts() {
    const record = await records.read(COUNTS, entryPoint)
    if (record === null) return { version: 'absent' as const, counts: NO_COUNTS }
    return { version: record.version, counts: parseCounts(record.text) }
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
      const waits = turn === null ? [] : [{ kind, key: turnKey(turn), text, ...ends }]
      const condition = { if: before?.version ?? ('absent' as const) }
      const own = { kind: KIND, key: keyOf(address), ...condition, text: registrationText(registration), ...ends }
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
      return await queue.run(async () => {
        for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
          const { version, counts } = await readCounts()
          const { result, steps, change = {} } = await decision(counts)
          if (steps === undefined) return result
          const own = { kind: COUNTS, key: entryPoint, if: version, text: JSON.stringify(added(counts, change)) }
          if ((await records.write([...steps, own])) !== null) return result
          await pause(Math.random() * LONGEST_PAUSE_MS)
        }
        throw new OverloadedError('Too many registrations at the same time', 2)
      })
    },
  }
}

export type Book = ReturnType<typeof createBook>

function added(counts: Counts, change: CountChange): Counts {
  const pairs = Object.entries(counts).map(([name, count]) => [name, count + (change[name as keyof Counts] ?? 0)])
  return Object.fromEntries(pairs)
}
