import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates the file and its folders if missing, for this user only, whatever the umask. SQLite gives the two files that
 * it keeps beside a database the same mode.
 * @throws the error of the file system, with its `code`.
 */
export function createPrivateFile(path: string): void {
  createPrivateFolder(dirname(path))
  closeSync(openSync(path, 'a', 0o600))
}

/** One folder at a time: `recursive` of Node never returns where no folder can be created, as in /proc. */
function createPrivateFolder(folder: string): void {
  if (existsSync(folder)) return
  createPrivateFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(folder)) throw error
  }
}
