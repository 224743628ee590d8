import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates the file and its folders if missing, for this user only, whatever the umask. SQLite gives the two files that
 * it keeps beside a database the same mode.
 * @throws the error of the file system, with its `code`.
 */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}
