import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { inTransaction, statementRunner } from '../../../../server/sqlite-transaction.ts'

/** The texts that managers add to the invitations of an entry point. */
export function invitationTextsIn(database: DatabaseSync) {
  const run = statementRunner(database)
  /** Returns an empty text for invitations without one. */
  function find(entryPoint: string): string {
    const rows = run('SELECT text FROM invitation_texts WHERE entry_point = $1', entryPoint)
    return z.string().parse(rows[0]?.text ?? '')
  }
  return {
    find,
    /** Stores a text. Returns false if another manager has changed the one that was seen. */
    replace: (entryPoint: string, seen: string, text: string): boolean =>
      inTransaction(database, () => {
        if (find(entryPoint) !== seen) return false
        run('INSERT OR REPLACE INTO invitation_texts VALUES ($1, $2)', entryPoint, text)
        return true
      }),
  }
}
