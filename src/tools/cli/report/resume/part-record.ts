import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import { ConfigError } from '../../../../errors.ts'
import { besideTarget } from '../../output/sink.ts'

const Count = z.int().min(0)
const Place = z.object({ pages: Count, piece: Count, page: z.int().min(1), sum: z.number() })
const Period = z.object({ from: z.string().optional(), to: z.string().optional() })
const PartRecord = z.object({
  /** Changes with the form of this record, and with the form of the rows. */
  form: z.literal(1),
  /** Names the command that writes the part. */
  run: z.string(),
  processId: z.int().positive(),
  /** The name of the part, in the folder of this record. */
  part: z.string().regex(/^\.[^/]+\.part$/),
  traits: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** The options of the period as typed, and its times. */
  typed: Period.extend({ last: z.string().optional() }),
  period: Period,
  /** The length of the part. What comes after it was cut off inside a row. */
  bytes: Count,
  rows: Count,
  /** Null after the last page. */
  next: Place.nullable(),
  odd: z.array(z.tuple([z.string(), Count])),
})

/** The state of an unfinished report: what was asked, and where it goes on. Is written after each page. */
export type PartRecord = z.output<typeof PartRecord>

const MOST_BYTES = 1_000_000
const OWNER_ONLY = 0o600

/** Returns the path of the record of a report. */
export function recordPath(target: string): string {
  return besideTarget(target, `${createHash('sha256').update(basename(target)).digest('hex').slice(0, 8)}.resume`)
}

/**
 * Reads a record. Returns null if there is none.
 * @throws ConfigError if it cannot be read, or has an unknown form.
 */
export async function readRecord(path: string): Promise<PartRecord | null> {
  const file = await openOwnFile(path, constants.O_RDONLY)
  if (file === null) return null
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0)
    return PartRecord.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead)))
  } catch (cause) {
    throw new ConfigError(`The record ${path} is damaged, or of another release. Begin anew without --resume.`, {
      cause,
    })
  } finally {
    await file.close()
  }
}

/** Replaces the record at once, so that it is never half-written. */
export async function writeRecord(path: string, record: PartRecord): Promise<void> {
  const fresh = `${path}.new`
  await rm(fresh, { force: true })
  const file = await open(fresh, 'wx', OWNER_ONLY)
  try {
    await file.writeFile(JSON.stringify(record))
  } finally {
    await file.close()
  }
  await rename(fresh, path)
}

/**
 * Opens a file that exists. Returns null if it does not.
 * @throws ConfigError for a link, and for a file of another user, who could read the report or choose its beginning.
 */
export async function openOwnFile(path: string, flags: number): Promise<FileHandle | null> {
  let file: FileHandle | null = null
  try {
    file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = await file.stat()
    if (found.isFile() && found.uid === process.geteuid?.()) return file
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  }
  await file?.close()
  throw new ConfigError(`${path} cannot be opened, or is not a file of yours. Begin anew without --resume.`)
}
