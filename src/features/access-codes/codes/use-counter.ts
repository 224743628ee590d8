import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { UpstreamError } from '../../../errors.ts'
import { allRecords, type GuestRecords, type RecordWrite } from '../../../services/guests/guest-records.ts'
import { Uses } from './code-records.ts'

export const USES = 'code-use'
/** The people of shared codes who gave a name. */
const PEOPLE = 'code-person'
const Person = z.object({ name: z.string(), atSeconds: z.number() })
const MOST_TRIES = 50
/** A write has 1,000 steps at most. */
const MOST_TOGETHER = 500
const LONGEST_PAUSE_MS = 50

interface SignIn {
  /** The typed name. Null if there is none. */
  readonly name: string | null
  readonly atSeconds: number
  readonly isShared: boolean
  /** When the record of the sign-in goes. */
  readonly endsAtSeconds: number | null
}
interface Waiting extends SignIn {
  readonly resolve: (number: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * Counts the sign-ins of codes. Thousands may use one code in the same minute, so those that wait are written together: a
 * copy of the app has one write of a code under way at a time.
 */
export function createUseCounter(records: Pick<GuestRecords, 'read' | 'list' | 'write'>) {
  const waiting = new Map<string, Waiting[]>()

  /** Adds sign-ins to the record of a code, also while other copies of the app do. Returns the number before the first. */
  async function add(key: string, signIns: readonly SignIn[]): Promise<number> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const record = await records.read(USES, key)
      const before = record === null ? null : Uses.parse(JSON.parse(record.text))
      const count = before?.count ?? 0
      const times = signIns.map(({ atSeconds }) => atSeconds)
      const uses: Uses = {
        count: count + signIns.length,
        firstAtSeconds: Math.min(before?.firstAtSeconds ?? Number.POSITIVE_INFINITY, ...times),
        lastAtSeconds: Math.max(before?.lastAtSeconds ?? 0, ...times),
        name: signIns.findLast(({ name }) => name !== null)?.name ?? before?.name ?? null,
      }
      const own: RecordWrite = {
        kind: USES,
        key,
        if: record?.version ?? 'absent',
        text: JSON.stringify(uses),
        endsAtSeconds: signIns[0]?.endsAtSeconds ?? null,
      }
      if ((await records.write([own, ...signIns.flatMap((one, at) => personOf(key, count + at + 1, one))])) !== null) {
        return count
      }
      await sleep(Math.random() * LONGEST_PAUSE_MS)
    }
    throw new UpstreamError('guest-store', 'Too many sign-ins with one access code at once')
  }
  async function run(key: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const together = queue.splice(0, MOST_TOGETHER)
      try {
        const before = await add(key, together)
        for (const [at, { resolve }] of together.entries()) resolve(before + at + 1)
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    waiting.delete(key)
  }
  return {
    /** Counts one sign-in, and returns its number, from 1. @throws UpstreamError if it was not counted. */
    count(key: string, signIn: SignIn): Promise<number> {
      return new Promise((resolve, reject) => {
        const queue = waiting.get(key)
        const own = { ...signIn, resolve, reject }
        if (queue !== undefined) {
          queue.push(own)
          return
        }
        const first = [own]
        waiting.set(key, first)
        void run(key, first)
      })
    },
    /** Deletes the name of a person of a shared code. */
    forget: (key: string, number: number) => records.write([{ kind: PEOPLE, key: personKey(key, number), text: null }]),
    /** Lists the people of a shared code who gave a name, by the number of the sign-in. */
    async *people(key: string): AsyncGenerator<{ readonly number: number; readonly name: string }> {
      const prefix = `${key}#`
      for await (const { key: own, text } of allRecords(records, PEOPLE, prefix)) {
        yield { number: Number(own.slice(prefix.length)), name: Person.parse(JSON.parse(text)).name }
      }
    },
  }
}

const personKey = (key: string, number: number) => `${key}#${String(number).padStart(7, '0')}`

function personOf(key: string, number: number, { isShared, name, atSeconds, endsAtSeconds }: SignIn): RecordWrite[] {
  if (!isShared || name === null) return []
  return [
    {
      kind: PEOPLE,
      key: personKey(key, number),
      if: 'absent',
      text: JSON.stringify({ name, atSeconds }),
      endsAtSeconds,
    },
  ]
}
