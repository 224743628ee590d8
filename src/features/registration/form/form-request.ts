import { z } from 'zod'

/** The fields of the address form and of the code form. A repeated field is an array, and is refused. */
const AddressFields = z.object({
  /** As typed. */
  address: z.string().max(400).catch(''),
  /** The secret of the frame, in the form for the address. */
  start: z.string().max(100).optional().catch(undefined),
  /** The secret of the frame, after the first code. */
  secret: z.string().max(100).optional().catch(undefined),
  code: z.string().max(40).optional().catch(undefined),
  /** Present if the guest wants another code. */
  again: z.string().optional().catch(undefined),
})
export type AddressFields = Readonly<z.output<typeof AddressFields>>

export function readAddressFields(body: unknown): AddressFields {
  return AddressFields.catch({ address: '' }).parse(body)
}
