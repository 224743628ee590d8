import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Returns the path of the folder with the rows of a cut report in this folder. */
export function keptFolder(cwd: string): string {
  return join(cwd, readdirSync(cwd).find((name) => name.endsWith('.resume')) ?? 'missing')
}

/** Changes what a cut report keeps of its question and its next page. */
export function changeKept(cwd: string, change: (kept: Record<string, unknown>) => object): void {
  using database = new DatabaseSync(join(keptFolder(cwd), 'rows.db'))
  const kept = JSON.parse(String(database.prepare('SELECT json FROM state').get()?.json))
  database.prepare('UPDATE state SET json = ?').run(JSON.stringify(change(kept)))
}
