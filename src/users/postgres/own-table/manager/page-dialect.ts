import type { PageDialect } from '../../../manager/own-pages.ts'
import { rowsOf } from '../../../own-tables/sql-work.ts'
import { VIEWER_COLUMNS } from '../../../own-tables/viewer-tables.ts'

/** One statement: its end checks the references between the tables. */
const MOVE = `
  WITH handles AS (UPDATE viewer_auth.passkey_handles SET key = $2 WHERE key = $1),
       keys AS (UPDATE viewer_auth.passkeys SET key = $2 WHERE key = $1)
  UPDATE viewer_auth.viewers SET key = $2, username = $3 WHERE key = $1 RETURNING ${VIEWER_COLUMNS}`

export const pageDialect: PageDialect = {
  placeOf: 'strpos',
  eachOf: 'jsonb_each_text',
  inGroup: (parameter) => `${parameter} = ANY (group_names)`,
  move: (key, newKey, username) => rowsOf(MOVE, key, newKey, username),
}
