import type { BatchDialect } from '../../import-batch/own-batches.ts'
import { VIEWER_COLUMNS } from '../../own-tables/viewer-tables.ts'

export const batchDialect: BatchDialect = {
  insert: `
    INSERT INTO viewers (key, username, password_hash, disabled, group_names, attributes)
    SELECT value ->> 'key', value ->> 'username',
           -- Else NULL, which the table refuses: JSON could also have a list as a text.
           CASE json_type(value, '$.password_hash') WHEN 'text' THEN value ->> 'password_hash' END,
           value ->> 'disabled', value -> 'group_names', value -> 'attributes'
    FROM json_each($1) WHERE true
    ON CONFLICT (key) DO NOTHING
    RETURNING key`,
  load: `SELECT ${VIEWER_COLUMNS} FROM viewers WHERE key IN (SELECT value FROM json_each($1))`,
  update: `
    UPDATE viewers
    SET disabled = value ->> 'disabled', group_names = value -> 'group_names', attributes = value -> 'attributes'
    FROM json_each($1)
    WHERE viewers.key = value ->> 'key'`,
}
