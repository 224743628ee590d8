import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { ConfigError } from '../../../errors.ts'
import type { Invitation } from '../../../features/account/links/invitation.ts'
import { csvRecord } from '../../cli/terminal/csv.ts'

const HEADER = 'username,link,expires\n'

/**
 * Opens a CSV file of links, which only this user may read. A command that continues a stopped one adds to the file.
 * @throws ConfigError when the file cannot be written, or is another kind of file.
 */
export function openLinksFile(path: string): { write: (invitation: Invitation) => void; close: () => void } {
  try {
    if (!isOurs(path)) throw new ConfigError(`${path} is another kind of file. Use a new name with --links.`)
    const file = openSync(path, 'a', 0o600)
    fchmodSync(file, 0o600)
    if (fstatSync(file).size === 0) writeSync(file, HEADER)
    return {
      write({ viewer, link, expiresAtSeconds }) {
        const expires = new Date(expiresAtSeconds * 1000).toISOString()
        writeSync(file, csvRecord([viewer.username, link, expires]).replace('\r\n', '\n'))
        // The store notes that the link is sent only after the link is on the disk.
        fsyncSync(file)
      },
      close: () => closeSync(file),
    }
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError(`Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`, { cause })
  }
}

/** True for a file of links, an empty file, and no file. */
function isOurs(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined || (stats.isFile() && (stats.size === 0 || readFileSync(path, 'utf8').startsWith(HEADER)))
}
