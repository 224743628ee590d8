import { ownerIn } from '../../../mail/address-lookup.ts'
import { toViewer } from '../../../passwords/verify-sign-in.ts'
import type { UserStore } from '../../../user-store.ts'
import { COLUMNS, readOwnRow } from '../own-table.ts'
import type { RowsOf } from '../viewer-states.ts'

/** Selects enabled viewers by the result of `indexedAddress`. Materialized, so that the server uses the index. */
export const BY_ADDRESS = `
  WITH known AS MATERIALIZED (
    SELECT key, ${COLUMNS} FROM viewer_auth.viewers
    WHERE viewer_auth.addresses_of(attributes) @> ARRAY[$1::text] AND NOT disabled
  )
  SELECT ${COLUMNS} FROM known ORDER BY key LIMIT 3`

/** Returns an address as the index has it: ASCII letters in lower case. */
export function indexedAddress(attribute: string, address: string): string {
  return `${attribute}=${address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}`
}

/** Finds viewers by a mail address, in the app's own table. */
export function postgresAddressLookup(rowsOf: RowsOf): NonNullable<UserStore['findByAddress']> {
  return async (attribute, address) => {
    const rows = await rowsOf(BY_ADDRESS, [indexedAddress(attribute, address)])
    const found = rows.map(readOwnRow).filter((stored) => stored !== null)
    return ownerIn(found.map(toViewer))
  }
}
