import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { ViewerState } from '../user-store.ts'
import { toViewerState } from '../viewer-changes.ts'
import { usernameKey } from '../viewer-fields.ts'
import { promised, queryViewers } from './database-file.ts'
import { readViewerRow } from './viewer-row.ts'

const STATES = `
  SELECT viewers.*, link.expires_at, link.is_sent FROM viewers
  LEFT JOIN password_links AS link ON link.key = viewers.key AND link.purpose = 'invitation'`

const InvitationRow = z.object({ expires_at: z.number().nullable(), is_sent: z.number().nullable() })

/** Returns the function that looks up the state of a viewer. */
export function viewerInspector(
  database: DatabaseSync,
  file: string,
): (username: string) => Promise<ViewerState | null> {
  const byKey = database.prepare(`${STATES} WHERE viewers.key = ?`)
  return (username) =>
    promised(() => {
      const row = queryViewers(file, () => byKey.get(usernameKey(username)))
      return row === undefined ? null : readState(row, file)
    })
}

/** Lists the states of all viewers, sorted by name. */
export async function* listViewerStates(database: DatabaseSync, file: string): AsyncGenerator<ViewerState> {
  const rows = queryViewers(file, () => database.prepare(`${STATES} ORDER BY viewers.key`).iterate())
  for (;;) {
    const next = await promised(() => queryViewers(file, () => rows.next()))
    if (next.done) return
    yield readState(next.value, file)
  }
}

function readState(row: unknown, file: string): ViewerState {
  const { expires_at, is_sent } = InvitationRow.parse(row)
  const invitation = expires_at === null ? null : { expiresAtSeconds: expires_at, isSent: is_sent === 1 }
  return toViewerState(readViewerRow(row, file), invitation)
}
