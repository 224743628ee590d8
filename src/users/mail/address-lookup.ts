import type { Statement } from '../own-tables/sql-work.ts'
import { type ViewerTables, viewersOf } from '../own-tables/viewer-tables.ts'
import { toViewer } from '../passwords/verify-sign-in.ts'
import type { UserStore } from '../user-store.ts'

/** Returns the statement that selects at most three enabled viewers by an attribute and its mail address. */
export type ByAddress = (attribute: string, address: string) => Statement

/** Finds viewers by a mail address, in tables of this app. */
export function ownAddressLookup(tables: ViewerTables, byAddress: ByAddress): NonNullable<UserStore['findByAddress']> {
  return async (attribute, address) => {
    const [stored, other] = await tables.run(viewersOf(tables, ...byAddress(attribute, address)))
    if (other !== undefined) return 'several'
    return stored === undefined ? null : toViewer(stored)
  }
}
