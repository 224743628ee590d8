import type { ByAddress } from '../../../mail/address-lookup.ts'
import { VIEWER_COLUMNS } from '../../../own-tables/viewer-tables.ts'

/** Materialized, so that the server uses the index. */
export const BY_ADDRESS = `
  WITH known AS MATERIALIZED (
    SELECT key, ${VIEWER_COLUMNS} FROM viewer_auth.viewers
    WHERE viewer_auth.addresses_of(attributes) @> ARRAY[$1::text] AND NOT disabled
  )
  SELECT ${VIEWER_COLUMNS} FROM known ORDER BY key LIMIT 3`

/** The index has an address with its attribute, and with ASCII letters in lower case. */
export const byAddress: ByAddress = (attribute, address) => [
  BY_ADDRESS,
  `${attribute}=${address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}`,
]
