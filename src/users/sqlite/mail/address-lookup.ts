import type { ByAddress } from '../../mail/address-lookup.ts'

export const BY_ADDRESS = `
  SELECT viewers.* FROM viewer_addresses AS known JOIN viewers USING (key)
  WHERE known.attribute = $1 AND known.address = lower($2) AND viewers.disabled = 0 ORDER BY key LIMIT 3`

/** Triggers keep the table of addresses. */
export const byAddress: ByAddress = (attribute, address) => [BY_ADDRESS, attribute, address]
