import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the names of the files in a folder, and below it, that have the bytes of a text. */
export function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.flatMap(({ parentPath, name }) => (readFileSync(join(parentPath, name)).includes(text) ? [name] : []))
}
