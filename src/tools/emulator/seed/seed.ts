import { z } from 'zod'

const Text = z.string()
const Account = z.object({ username: Text, password: Text })
const ContentType = z.enum(['live', 'recorded'])
const Content = z.object({ id: Text, title: Text, owner: Text, locked: z.boolean() })
const Client = z.object({
  client_id: Text,
  client_secret: Text,
  name: Text.optional(),
  /** The first of `redirect_uri_prefixes`. */
  redirect_uri_prefix: Text,
  /** Absent in old data files. */
  redirect_uri_prefixes: z.array(Text).optional(),
  owner: Text,
})
const Lock = z.object({
  content_type: ContentType,
  content_id: Text,
  url: Text,
  secret: Text,
  message: Text.optional(),
  button_caption: Text.optional(),
  popup_width: Text.optional(),
  popup_height: Text.optional(),
})
const ViewerAuth = z.object({ content_type: ContentType, content_id: Text, auth_url: Text, public_key: Text })
const Position = z.number().nullable()
const View = z.object({
  view_id: Text,
  content_type: ContentType,
  content_id: Text,
  started_at: Text,
  finished_at: Text.nullable(),
  viewer_identifier: Text.nullable(),
  client_id: Text,
  view_session_id: Text,
  from: Position,
  to: Position,
  view_type: z.enum(['onsite', 'offsite']),
  country: Text,
  city: Text,
  user_agent: Text,
})
/** Everything seeded, as `/emulator/seed` shows it. */
export const Seed = z.object({
  clients: z.array(Client),
  users: z.array(Account),
  channels: z.array(Content),
  videos: z.array(Content.extend({ channel_id: Text })),
  /** Viewers who can sign in to the login app of the seeded locks. */
  viewers: z.array(Account),
  locks: z.array(Lock),
  /** The second version of viewer authentication. */
  viewer_auth: z.array(ViewerAuth).default([]),
  views: z.array(View).default([]),
  /** Least number of views. Missing views are generated. */
  generated_views: z.number().default(0),
})

export type Seed = z.infer<typeof Seed>
export type SeedAccount = z.infer<typeof Account>

/** Settings that complete a seed. */
export interface SeedDefaults {
  /** Entry point and secret of the locks of the default seed. In a file, of the locks without them. */
  readonly lock?: { readonly url: string; readonly secret?: string }
  readonly viewers?: readonly SeedAccount[]
  /** Adds these channels to the default seed. */
  readonly channels?: readonly SeededChannel[]
}

/** A channel with a lock of its own: with a hash, or of the second version. */
export interface SeededChannel {
  /** Far from the ids of channels that a user created before the seed had this one. */
  readonly id: string
  readonly title: string
  readonly lock?: { readonly url: string; readonly secret: string }
  readonly viewerAuth?: { readonly auth_url: string; readonly public_key: string }
}
