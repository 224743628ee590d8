import { z } from 'zod'
import { LockParameters } from '../rest/lock-settings.ts'

const Name = z.string('must be a text').min(1, 'must not be empty').max(255, 'must not be longer than 255 characters')
const Id = z
  .union([z.string(), z.int().transform(String)], 'must be a number, such as 1001')
  .pipe(z.string().regex(/^[1-9]\d{0,14}$/, 'must be a number from 1, such as 1001'))
const Key = z.string('must be a text').regex(/^[0-9a-f]{40}$/, 'must be 40 hexadecimal digits in lower case')
const Address = z
  .string('must be a text')
  .refine((text) => URL.canParse(text) && !/[\s#]/.test(text), 'must be an absolute address without blanks and "#"')
const EntryPoint = Address.refine((text) => /^https?:/i.test(text), 'must be an http or https address')
const Account = z.strictObject({ username: Name, password: Name })
const ContentRef = {
  content_type: z.enum(['live', 'recorded'], 'must be live or recorded'),
  content_id: Id,
}
const Channel = z.strictObject({ id: Id, title: Name, owner: Name, locked: z.boolean().optional() })

/**
 * The seed of an emulator, from a file. Ids, secrets and keys that are left out are generated once. `/emulator/seed`
 * returns a valid seed file: its `locked` and `redirect_uri_prefix` only repeat what other fields say, and are ignored.
 */
export const SeedFile = z.strictObject({
  clients: z
    .array(
      z.strictObject({
        client_id: Key.optional(),
        client_secret: Key.optional(),
        name: Name.optional(),
        redirect_uri_prefix: Address.optional(),
        redirect_uri_prefixes: z.array(Address, 'must be a list of addresses').min(1, 'must not be empty'),
        owner: Name,
      }),
    )
    .min(1, 'must not be empty'),
  users: z.array(Account).min(1, 'must not be empty'),
  channels: z.array(Channel).default([]),
  /** Shown by `/emulator/seed`, and ignored in a file. */
  provider: z.unknown().optional(),
  /** Without an owner, a video belongs to the owner of its channel. */
  videos: z.array(Channel.extend({ channel_id: Id, owner: Name.optional() })).default([]),
  viewers: z.array(Account).default([]),
  locks: z
    .array(
      z.strictObject({
        ...ContentRef,
        ...LockParameters.shape,
        url: EntryPoint.optional(),
        secret: LockParameters.shape.secret.min(1, 'must not be empty').optional(),
      }),
    )
    .default([]),
  /** Optional, not empty by default: a default would change the fingerprint of existing files. */
  viewer_auth: z
    .array(z.strictObject({ ...ContentRef, auth_url: EntryPoint, public_key: z.string('must be a text') }))
    .optional(),
  generated_views: z.int().min(0).max(10_000_000).default(0),
})

export type SeedFile = z.infer<typeof SeedFile>
