import { readdirSync, rmSync, writeFileSync } from 'node:fs'
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

/**
 * Leaves a cut report as release 0.2.0 did: a record, and a part with rows, after which half a row follows.
 * @param lines the rows. By default, the text that is kept.
 */
export function leaveOlderPart(cwd: string, lines?: string): void {
  const folder = keptFolder(cwd)
  using database = new DatabaseSync(join(folder, 'rows.db'))
  const state = JSON.parse(String(database.prepare('SELECT json FROM state').get()?.json))
  const chunks = database.prepare('SELECT chunk FROM text ORDER BY rowid').all()
  const rows = lines === undefined ? Buffer.concat(chunks.map(({ chunk }) => chunk as Uint8Array)) : Buffer.from(lines)
  rmSync(folder, { recursive: true })
  const part = '.report.0a1b2c3d.part'
  writeFileSync(join(cwd, part), Buffer.concat([rows, Buffer.from('3-0,half')]))
  const mine = { form: 1, run: '0011223344556677', processId: 7, part, bytes: rows.length }
  writeFileSync(folder.replace(/\.[^.]+\.resume$/, '.resume'), JSON.stringify({ ...mine, ...state }))
}
