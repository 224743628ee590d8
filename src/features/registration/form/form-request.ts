import { z } from 'zod'

/** The fields of the address form and of the code form. A repeated field is an array, and is refused. */
const Fields = z.object({
  address: z.string().max(400).catch(''),
  start: z.string().max(100).optional().catch(undefined),
  secret: z.string().max(100).optional().catch(undefined),
  code: z.string().max(40).optional().catch(undefined),
  again: z.string().optional().catch(undefined),
})

export interface AddressFields {
  /** As typed. */
  readonly address: string
  /** The secret of the frame, in the form for the address. */
  readonly start?: string | undefined
  /** The secret of the frame, after the first code. */
  readonly secret?: string | undefined
  readonly code?: string | undefined
  /** Present if the guest wants another code. */
  readonly again?: string | undefined
}

export function readAddressFields(body: unknown): AddressFields {
  return Fields.catch({ address: '' }).parse(body)
}
