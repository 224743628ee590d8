import { type FileHandle, open, stat } from 'node:fs/promises'
import { linesOfFile } from '../../security-log/log-lines.ts'
import { findOwnLog } from '../../security-log/own-log.ts'
import { type SecurityEvent, securityEvents, startReading } from '../../security-log/security-events.ts'
import type { CommandIo } from '../../terminal/io.ts'

/** A chunk takes about five milliseconds. Pages are answered between two chunks. */
const CHUNK_BYTES = 131_072
const LONGEST_LINE_BYTES = 1_048_576
const ALL = { period: null, viewer: undefined, outcomes: [] }

/** The security log of this machine, read once and then followed. */
export interface FollowedLog {
  /** Reads the new lines. The first call reads all files, the oldest first. */
  readNew(visit: (event: SecurityEvent) => void): Promise<void>
  /** Returns why there is no log. Null if there is a log. */
  missing(): string | null
  close(): Promise<void>
}

/** Follows the security log, also after its file was renamed and a new one was created. */
export function followLog(env: CommandIo['env']): FollowedLog {
  let file: { readonly path: string; readonly handle: FileHandle; position: number; rest: string } | null = null
  let missing: string | null = null

  async function start(visit: (event: SecurityEvent) => void): Promise<void> {
    const log = await findOwnLog(env)
    missing = 'missing' in log ? log.missing : null
    if ('missing' in log) return
    const path = log.files.at(-1) ?? ''
    for (const old of log.files.slice(0, -1)) {
      for await (const event of securityEvents(linesOfFile(old), ALL, startReading())) visit(event)
    }
    file = await opened(path)
    if (file === null) missing = `there is no ${path}`
  }
  async function readFile(visit: (event: SecurityEvent) => void): Promise<void> {
    if (file === null) return
    // The file was copied and truncated.
    if ((await file.handle.stat()).size < file.position) Object.assign(file, { position: 0, rest: '' })
    const buffer = Buffer.alloc(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await file.handle.read(buffer, 0, CHUNK_BYTES, file.position)
      if (bytesRead === 0) break
      file.position += bytesRead
      // latin1 keeps each byte, so that a character may be cut between two reads.
      const lines = (file.rest + buffer.toString('latin1', 0, bytesRead)).split('\n')
      file.rest = (lines.pop() ?? '').slice(-LONGEST_LINE_BYTES)
      const batch = lines.map((line) => Buffer.from(line, 'latin1').toString('utf8'))
      for await (const event of securityEvents(one(batch), ALL, startReading())) visit(event)
    }
  }
  return {
    async readNew(visit) {
      if (file === null) await start(visit)
      await readFile(visit)
      if (file === null || !(await isReplaced(file))) return
      // The last lines of the renamed file were read above.
      const { path, handle } = file
      file = await opened(path)
      await handle.close()
      await readFile(visit)
    },
    missing: () => missing,
    close: async () => await file?.handle.close(),
  }
}

async function* one(batch: readonly string[]): AsyncGenerator<readonly string[]> {
  await Promise.resolve()
  yield batch
}

async function opened(path: string) {
  const handle = await open(path, 'r').catch(() => null)
  return handle && { path, handle, position: 0, rest: '' }
}

/** True after a rotation by renaming. */
async function isReplaced({ path, handle }: { readonly path: string; readonly handle: FileHandle }): Promise<boolean> {
  const own = await handle.stat()
  const now = await stat(path).catch(() => null)
  return now !== null && (now.ino !== own.ino || now.dev !== own.dev)
}
