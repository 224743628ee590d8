import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { orUndefined } from '../../../errors.ts'
import { createPrivateFile } from '../../../server/private-file.ts'
import type { Lock, LockSettings, LockTarget } from '../../video-service/locks.ts'
import { markWords, timeWords } from '../output/words.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'
import { leadsTo, type WantedLock } from './expected-lock.ts'
import { nameOf } from './lock-target.ts'

const LockRecord = z.object({
  url: z.string(),
  /** ISO 8601, UTC. */
  setAt: z.string(),
  /** HMAC-SHA-256 of the address and the time, with the secret of the lock as key. Of viewer auth: of its public key. */
  fingerprint: z.string(),
})
const RecordsFile = z.record(z.string(), LockRecord)

/** The last change of a lock by this app, without the secret. The service does not show the secret of a channel's lock. */
export type LockRecord = z.infer<typeof LockRecord>

/** The records of one video service. A file that cannot be written is named on standard error, and fails no command. */
export type LockRecords = ReturnType<typeof openLockRecords>

/**
 * Returns the records beside the file .env, or in `data/` without one. Only this user may read the file. A first file .env
 * comes after the lock of its channel: until it has records beside it, those in `data/` count.
 * @param version a version of viewer authentication besides the hash. A channel or video may have a lock of each.
 */
export function openLockRecords(
  { folder = '.', stderr }: Pick<CommandIo, 'folder' | 'stderr'>,
  serviceUrl: string,
  version?: string,
) {
  const withoutEnv = join(folder, 'data', 'locks.json')
  const file = existsSync(join(folder, '.env')) ? join(folder, 'locks.json') : withoutEnv
  const readAll = () => readRecords(existsSync(file) ? file : withoutEnv)
  const suffix = version === undefined ? '' : ` ${version}`
  const keyOf = (target: LockTarget) => `${serviceUrl} ${nameOf(target)}${suffix}`
  const find = (target: LockTarget) => readAll()[keyOf(target)] ?? null

  function change(edit: (records: z.infer<typeof RecordsFile>) => void): void {
    const records = readAll()
    const before = JSON.stringify(records)
    edit(records)
    if (JSON.stringify(records) === before) return
    try {
      const next = `${file}.next`
      createPrivateFile(next)
      writeFileSync(next, `${JSON.stringify(records, null, 2)}\n`, { flush: true })
      renameSync(next, file)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      stderr.write(
        `Note: ${printable(file)} cannot be written (${code}). No check can tell if the lock has your secret.\n`,
      )
    }
  }
  return {
    /** Saves the fingerprint of a lock that was set just now. */
    save(target: LockTarget, lock: LockSettings | { readonly url: string; readonly fingerprint: string }): void {
      const setAt = new Date().toISOString()
      const { url } = lock
      const fingerprint = 'secret' in lock ? fingerprintOf(lock.secret, url, setAt) : lock.fingerprint
      change((records) => {
        records[keyOf(target)] = { url, setAt, fingerprint }
      })
    },
    /** @returns a function that restores the record, for a lock that did not change after all. */
    remove(target: LockTarget): () => void {
      const record = find(target)
      change((records) => {
        delete records[keyOf(target)]
      })
      return () => {
        if (record !== null) change((records) => Object.assign(records, { [keyOf(target)]: record }))
      }
    },
    find,
  }
}

/** The secret of a lock as its record knows it. The service does not show the secret. */
export interface RecordedSecret {
  readonly secret: 'same' | 'previous' | 'other'
  /** When this app gave the lock its secret: "on 2026-11-22 at 14:02 UTC". */
  readonly when: string
  readonly setAtMs: number
}

const AGO = new Intl.RelativeTimeFormat('en')
const DAY_HOURS = 24

/** Returns the condition of a record: "if the lock has not been changed since 08:30, 2 minutes ago". */
export function ifUnchanged(setAtMs: number): string {
  const hours = Math.max(0, Date.now() - setAtMs) / 3_600_000
  const days = AGO.format(-Math.floor(hours / DAY_HOURS), 'day')
  const ago = hours < 1 ? AGO.format(-Math.floor(hours * 60), 'minute') : AGO.format(-Math.floor(hours), 'hour')
  const words = hours < DAY_HOURS ? [markWords(setAtMs, 'minute'), ago] : [timeWords(setAtMs), days]
  return `if the lock has not been changed since ${words.join(', ')}`
}

/** Returns when a record was made: "on 2026-11-22 at 14:02 UTC". */
export function whenSet({ setAt }: Pick<LockRecord, 'setAt'>): string {
  return `on ${setAt.slice(0, 16).replace('T', ' at ')} UTC`
}

/** Compares the recorded secret of a lock with the expected one. Null without a record of the address of the lock. */
export function compareRecorded(
  records: LockRecords,
  target: LockTarget,
  lock: Lock,
  { secret, previousSecret }: Pick<WantedLock, 'secret' | 'previousSecret'>,
): RecordedSecret | null {
  const record = records.find(target)
  if (record === null || !leadsTo(lock.url, { url: record.url, otherUrls: [] })) return null
  const known = { when: whenSet(record), setAtMs: Date.parse(record.setAt) }
  if (isSetWith(record, secret)) return { secret: 'same', ...known }
  return { secret: previousSecret !== null && isSetWith(record, previousSecret) ? 'previous' : 'other', ...known }
}

/** True if the lock was set with this secret. */
function isSetWith({ url, setAt, fingerprint }: LockRecord, secret: string): boolean {
  return fingerprint === fingerprintOf(secret, url, setAt)
}

function fingerprintOf(secret: string, url: string, setAt: string): string {
  return createHmac('sha256', secret).update(`${url}\n${setAt}`).digest('hex')
}

/** Returns no records if the file is missing or not ours. */
function readRecords(file: string): z.infer<typeof RecordsFile> {
  return orUndefined(() => RecordsFile.parse(JSON.parse(readFileSync(file, 'utf8')))) ?? {}
}
