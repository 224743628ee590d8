import { type FileHandle, open, stat } from 'node:fs/promises'
import { linesOfFile } from '../../security-log/log-lines.ts'
import { findOwnLog } from '../../security-log/own-log.ts'
import { type SecurityEvent, securityEvents } from '../../security-log/security-events.ts'
import type { CommandIo } from '../../terminal/io.ts'

/** A chunk takes about five milliseconds. Pages are answered between two chunks. */
const CHUNK_BYTES = 131_072

type Visit = (event: SecurityEvent) => void

/** A file that is read up to a position. */
interface OpenFile {
  readonly path: string
  readonly handle: FileHandle
  position: number
}

/** Follows the security log of this machine, also after its file was renamed and a new one was created. */
export function followLog(env: CommandIo['env']) {
  let file: OpenFile | null = null
  let missing: string | null = null

  async function start(visit: Visit): Promise<void> {
    const log = await findOwnLog(env)
    missing = 'missing' in log ? log.missing : null
    if ('missing' in log) return
    const path = log.files.at(-1) ?? ''
    for (const old of log.files.slice(0, -1)) await visitEach(linesOfFile(old), visit)
    file = await opened(path)
    if (file === null) missing = `there is no ${path}`
  }
  return {
    /** Reads the new lines. The first call reads all files, the oldest first. */
    async readNew(visit: Visit): Promise<void> {
      if (file === null) await start(visit)
      if (file === null) return
      await readOn(file, visit)
      if (!(await isReplaced(file))) return
      // The last lines of the renamed file were read above.
      const { path, handle } = file
      file = await opened(path)
      await handle.close()
      if (file !== null) await readOn(file, visit)
    },
    /** Returns why there is no log. Null if there is a log. */
    missing: () => missing,
    close: async () => await file?.handle.close(),
  }
}

async function visitEach(batches: Parameters<typeof securityEvents>[0], visit: Visit): Promise<void> {
  for await (const event of securityEvents(batches, {})) visit(event)
}

async function readOn(file: OpenFile, visit: Visit): Promise<void> {
  // The file was copied and truncated.
  if ((await file.handle.stat()).size < file.position) file.position = 0
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const { bytesRead } = await file.handle.read(buffer, 0, CHUNK_BYTES, file.position)
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1
    // The end of the last line is not written yet.
    if (end === 0 && bytesRead < CHUNK_BYTES) break
    // No line of the app is longer than a chunk.
    const length = end || bytesRead
    file.position += length
    await visitEach([buffer.toString('utf8', 0, length).split('\n')], visit)
  }
}

async function opened(path: string): Promise<OpenFile | null> {
  const handle = await open(path, 'r').catch(() => null)
  return handle && { path, handle, position: 0 }
}

/** True after a rotation by renaming. */
async function isReplaced({ path, handle }: OpenFile): Promise<boolean> {
  const own = await handle.stat()
  const now = await stat(path).catch(() => null)
  return now !== null && (now.ino !== own.ino || now.dev !== own.dev)
}
