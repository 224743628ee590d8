import { randomBytes } from 'node:crypto'
import { constants, existsSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from '../../../../errors.ts'
import type { Question } from '../../../video-service/report-question.ts'
import { besideTarget, openFileSink, orWriteFault, type ReportSink, writableTarget } from '../../output/sink.ts'
import { openOwnFile, type PartRecord, readRecord, recordPath, writeRecord } from './part-record.ts'
import { type Asked, differences, identityOf, withPeriodOf } from './same-question.ts'

/** The rows that the part has, and the page after them. */
export type Kept = Pick<PartRecord, 'rows' | 'next' | 'odd'>

/** A report in a file that can be continued after it was cut. */
export interface PartFile extends ReportSink {
  /** A continued report has the period of its first command. */
  readonly question: Question
  /** Null for a new report. */
  readonly start: Kept | null
  /** The path of the part. */
  readonly part: string
  /** Keeps all that was written. From now on, the part and its record survive the end of the program. */
  keep(kept: Kept): Promise<void>
  /** @param write writes the report from the part, which then goes. Without it, the part becomes the report. */
  finish(write?: (sink: ReportSink) => Promise<void>): Promise<void>
}

interface Opened {
  readonly file: FileHandle
  readonly part: string
  readonly record: PartRecord | null
}

const OWNER_ONLY = 0o600

/**
 * Opens a file that is complete or absent, as openFileSink() does. The rows are in a part beside it, with a record of the
 * question and of the next page. Without a kept page, a cut report leaves nothing.
 * @param isResumed true to continue the part. Begins a new report if there is neither a part nor the file.
 * @returns null if there is the file, but no part of it.
 * @throws ConfigError for the part of another question, and as openFileSink() does.
 */
export async function openPartFile(path: string, asked: Asked, isResumed: boolean): Promise<PartFile | null> {
  const target = await writableTarget(path)
  const recordFile = recordPath(target)
  const found = isResumed ? await openPart(path, recordFile, asked) : null
  if (found === 'finished') await rm(recordFile, { force: true })
  if (found === 'finished' || (isResumed && found === null && existsSync(target))) return null
  return await partFile(path, target, asked, found ?? (await newPart(path, target)))
}

async function newPart(path: string, target: string): Promise<Opened> {
  const part = besideTarget(target, `${randomBytes(4).toString('hex')}.part`)
  return { file: await orWriteFault(path, () => open(part, 'wx', OWNER_ONLY)), part, record: null }
}

/** Opens the part of the record. `finished`: only the removal of the record was missing. */
async function openPart(path: string, recordFile: string, asked: Asked): Promise<Opened | 'finished' | null> {
  const record = await readRecord(recordFile)
  if (record === null) return null
  const others = differences(record, asked)
  if (others.length > 0) {
    throw new ConfigError(
      `The interrupted report in ${path} has another question (${others.join(', ')}). Use the options and settings of its first command, or begin anew without --resume.`,
    )
  }
  const part = join(dirname(recordFile), record.part)
  const file = await openOwnFile(part, constants.O_RDWR)
  if (file === null && record.next === null && existsSync(path)) return 'finished'
  if (file !== null && (await file.stat()).size >= record.bytes) return { file, part, record }
  await file?.close()
  throw new ConfigError(`${part} is missing or too short. Begin anew without --resume.`)
}

async function partFile(path: string, target: string, asked: Asked, { file, part, record }: Opened): Promise<PartFile> {
  const guard = <T>(work: () => Promise<T>) => orWriteFault(path, work)
  const recordFile = recordPath(target)
  const mine = { run: randomBytes(8).toString('hex'), processId: process.pid, part: basename(part) }
  const { traits, typed, period } = record ?? identityOf(asked)
  const removeNow = () => rmSync(part, { force: true })
  let [bytes, isKept, isOpen] = [record?.bytes ?? 0, record !== null, true]
  if (!isKept) process.once('exit', removeNow)

  /** Replaces the record. That of an older part goes, with the part. */
  async function save({ rows, next, odd }: Kept): Promise<void> {
    await file.datasync()
    if (!isKept) await removeOlderPart(recordFile)
    await writeRecord(recordFile, { form: 1, ...mine, traits, typed, period, bytes, rows, next, odd })
    isKept = true
    process.off('exit', removeNow)
  }
  async function assertMine(): Promise<void> {
    const now = isKept ? await readRecord(recordFile) : null
    if (now === null || now.part !== mine.part || now.run === mine.run) return
    throw new ConfigError(`Another command continues the report in ${path}.`)
  }
  async function close(): Promise<void> {
    if (isOpen) await file.close()
    isOpen = false
  }
  // The name of this run stops the command that wrote the part, if it still runs.
  if (record !== null) await guard(() => save(record))
  return {
    question: record === null ? asked.question : withPeriodOf(record, asked.question),
    start: record,
    write: (text) =>
      guard(async () => {
        // The position is right even while a command that was believed dead writes too.
        bytes += await writeAt(file, Buffer.from(text), bytes)
      }),
    keep: (kept) =>
      guard(async () => {
        await assertMine()
        await save(kept)
      }),
    part,
    finish: (write) =>
      guard(async () => {
        await assertMine()
        // What a cut command wrote after its last page can be longer than the rest of the report.
        await file.truncate(bytes)
        await file.sync()
        await close()
        if (write === undefined) await rename(part, target)
        else await writeWhole(path, write)
        await rm(part, { force: true })
        await rm(recordFile, { force: true })
      }),
    async close() {
      await close()
      if (!isKept) await rm(part, { force: true })
      process.off('exit', removeNow)
    },
  }
}

/** Writes a report in a single go. The part stays until the report is complete, so that a cut report can be continued. */
async function writeWhole(path: string, write: (sink: ReportSink) => Promise<void>): Promise<void> {
  const sink = await openFileSink(path)
  try {
    await write(sink)
    await sink.finish()
  } finally {
    await sink.close()
  }
}

/** Writes the whole chunk. Returns its length. */
async function writeAt(file: FileHandle, chunk: Buffer, position: number): Promise<number> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
  return chunk.length
}

/** Removes the part that a new report replaces, unless its command still runs. */
async function removeOlderPart(recordFile: string): Promise<void> {
  const older = await readRecord(recordFile).catch(() => null)
  if (older === null || isRunning(older.processId)) return
  await rm(join(dirname(recordFile), older.part), { force: true })
}

function isRunning(processId: number): boolean {
  try {
    return processId !== process.pid && process.kill(processId, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
