import { ownerIn } from '../../mail/address-lookup.ts'
import { toViewer } from '../../passwords/verify-sign-in.ts'
import type { UserStore } from '../../user-store.ts'
import type { ViewersFile } from '../database-file.ts'
import { readViewerRow } from '../viewer-row.ts'

/** Selects enabled viewers by an attribute and its address. */
export const BY_ADDRESS = `
  SELECT viewers.* FROM viewer_addresses AS known JOIN viewers USING (key)
  WHERE known.attribute = ? AND known.address = lower(?) AND viewers.disabled = 0 ORDER BY key LIMIT 3`

/** Finds viewers by a mail address. Triggers keep the table of addresses. */
export function sqliteAddressLookup({ file, database, ask }: ViewersFile): NonNullable<UserStore['findByAddress']> {
  const select = database.prepare(BY_ADDRESS)
  return (attribute, address) =>
    ask(() => ownerIn(select.all(attribute, address).map((row) => toViewer(readViewerRow(row, file)))))
}
