import { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import { placeOf } from '../fault.ts'
import type { PostgresSettings } from '../settings.ts'

const RIGHTS = `
  SELECT bool_and(has_table_privilege('viewer_auth.' || $1, name)) AS granted FROM unnest($2::text[]) AS name`
const RightsRow = z.tuple([z.object({ granted: z.boolean() })])

/** Rights that the login app needs on a table. */
export interface NeededRights {
  /** In the schema `viewer_auth`. */
  readonly table: string
  /** Besides SELECT, which a table of a later version lacks too. */
  readonly rights: readonly string[]
  /** A way without the grant, as the end of a sentence. */
  readonly instead: string
}

/** @throws ConfigError if the role of the app lacks one of the rights, with the grant. */
export async function assertRights(
  rowsOf: (sql: string, values: readonly unknown[]) => Promise<readonly unknown[]>,
  settings: PostgresSettings,
  { table, rights, instead }: NeededRights,
): Promise<void> {
  const needed = ['SELECT', ...rights]
  const [{ granted }] = RightsRow.parse(await rowsOf(RIGHTS, [table, needed]))
  if (granted) return
  const role = JSON.stringify(settings.user)
  throw new ConfigError(
    `The role ${role} may not read and change viewer_auth.${table} in ${placeOf(settings)}. ` +
      `GRANT ${needed.join(', ')} ON viewer_auth.${table} TO ${role}, or ${instead}.`,
  )
}
