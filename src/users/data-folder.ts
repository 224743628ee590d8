import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder of data, and those above it, for this user alone. One by one: Node's own `recursive` tries for ever
 * where a folder cannot be made though the one above it is there, as in /proc.
 * @throws the error of the first that cannot be made.
 */
export function makeDataFolder(folder: string): void {
  if (existsSync(folder)) return
  makeDataFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another program may have been quicker.
    if (!existsSync(folder)) throw error
  }
}
