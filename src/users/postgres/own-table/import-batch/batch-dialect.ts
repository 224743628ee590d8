import type { BatchDialect } from '../../../import-batch/own-batches.ts'
import { VIEWER_COLUMNS } from '../../../own-tables/viewer-tables.ts'

/** Locks rows in key order, so that two imports cannot deadlock. */
export const batchDialect: BatchDialect = {
  insert: `
    INSERT INTO viewer_auth.viewers (key, username, password_hash, disabled, group_names, attributes)
    SELECT key, username, password_hash, disabled,
           ARRAY(SELECT name FROM jsonb_array_elements_text(group_names) WITH ORDINALITY AS g (name, place) ORDER BY place),
           attributes
    FROM jsonb_to_recordset($1::jsonb) AS imported (key text, username text, password_hash text, disabled boolean,
                                                   group_names jsonb, attributes jsonb)
    ORDER BY key COLLATE "C"
    ON CONFLICT (key) DO NOTHING
    RETURNING key`,
  load: `SELECT ${VIEWER_COLUMNS} FROM viewer_auth.viewers WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE`,
  update: `
    UPDATE viewer_auth.viewers AS known
    SET disabled = imported.disabled,
        group_names = ARRAY(SELECT name FROM jsonb_array_elements_text(imported.group_names)
                            WITH ORDINALITY AS g (name, place) ORDER BY place),
        attributes = imported.attributes
    FROM jsonb_to_recordset($1::jsonb) AS imported (key text, disabled boolean, group_names jsonb, attributes jsonb)
    WHERE known.key = imported.key`,
}
