import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { KeptState } from './same-question.ts'

/** The record of a report that a release up to 0.2.0 left: a file beside its part, which has the rows. */
const OlderRecord = KeptState.extend({
  form: z.literal(1),
  /** The name of the part, in the folder of the record. */
  part: z.string().regex(/^\.[^/]+\.part$/),
  /** The length of the whole rows in the part. The bytes after it are a row that was cut off. */
  bytes: z.int().min(0),
})

const CHUNK_BYTES = 1_000_000

/** Reads a record, and the bytes of its part in chunks. @throws an error for a damaged file, a link, or a file of another user. */
export function openOlderPart(recordFile: string) {
  const { form: _form, part, bytes, ...state } = readRecord(recordFile)
  return { state, chunks: chunksOf(join(dirname(recordFile), part), bytes) }
}

/** Removes a record and its part. */
export function removeOlderPart(recordFile: string): void {
  try {
    rmSync(join(dirname(recordFile), readRecord(recordFile).part), { force: true })
  } catch {
    // A record that cannot be read names no part.
  }
  rmSync(recordFile, { force: true })
}

function readRecord(recordFile: string): z.output<typeof OlderRecord> {
  const file = openOwnFile(recordFile)
  try {
    return OlderRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
  } finally {
    closeSync(file)
  }
}

function* chunksOf(part: string, bytes: number): Generator<Uint8Array> {
  const file = openOwnFile(part)
  try {
    for (let done = 0; done < bytes; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes - done))
      const read = readSync(file, chunk, 0, chunk.length, done)
      if (read === 0) throw new RangeError(`${part} is too short`)
      yield chunk.subarray(0, read)
      done += read
    }
  } finally {
    closeSync(file)
  }
}

function openOwnFile(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const found = fstatSync(file)
  if (found.isFile() && found.uid === process.geteuid?.()) return file
  closeSync(file)
  throw new RangeError(`${path} is not a file of this user`)
}
