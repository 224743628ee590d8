import { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import type { AssertRights } from '../../own-tables/rights.ts'
import { rowsOf } from '../../own-tables/sql-work.ts'
import type { ViewerTables } from '../../own-tables/viewer-tables.ts'
import { placeOf } from '../fault.ts'
import type { PostgresSettings } from '../settings.ts'

const RIGHTS = `
  SELECT bool_and(has_table_privilege('viewer_auth.' || $1, name)) AS granted FROM unnest($2::text[]) AS name`
const RightsRow = z.tuple([z.object({ granted: z.boolean() })])

/** Returns the check of the rights of the app's role. Its error has the grant. */
export function rightsOf({ run }: ViewerTables, settings: PostgresSettings): AssertRights {
  return async (...tables) => {
    for (const { table, rights, instead } of tables) {
      const needed = ['SELECT', ...rights]
      const [{ granted }] = RightsRow.parse(await run(rowsOf(RIGHTS, table, needed)))
      if (granted) continue
      const role = JSON.stringify(settings.user)
      throw new ConfigError(
        `The role ${role} may not read and change viewer_auth.${table} in ${placeOf(settings)}. ` +
          `GRANT ${needed.join(', ')} ON viewer_auth.${table} TO ${role}, or ${instead}.`,
      )
    }
  }
}
