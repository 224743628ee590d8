import { randomKey } from './secrets.ts'
import type { SeedFile } from './seed-schema.ts'

/** Everything seeded, as `/emulator/seed` shows it. */
export type Seed = ReturnType<typeof completeSeed>
export type SeedAccount = SeedFile['users'][number]

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

/** Completes a seed file with generated ids and secrets, and with the settings for locks without an address. */
export function completeSeed(file: SeedFile, { lock, viewers }: SeedDefaults) {
  const defaults = { url: lock?.url ?? 'http://localhost:3000/', secret: lock?.secret ?? randomKey() }
  const locks = file.locks.map(({ url = defaults.url, secret = defaults.secret, ...rest }) => ({
    ...rest,
    url,
    secret,
  }))
  const viewerAuth = file.viewer_auth ?? []
  const isLocked = (type: 'live' | 'recorded', id: string) =>
    [...locks, ...viewerAuth].some(({ content_type, content_id }) => content_type === type && content_id === id)
  const ownerOf = new Map(file.channels.map(({ id, owner }) => [id, owner]))
  return {
    clients: file.clients.map((client) => ({
      client_id: client.client_id ?? randomKey(),
      client_secret: client.client_secret ?? randomKey(),
      name: client.name ?? `Demo client of ${client.owner}`,
      redirect_uri_prefix: client.redirect_uri_prefixes[0] ?? '',
      redirect_uri_prefixes: client.redirect_uri_prefixes,
      owner: client.owner,
    })),
    users: file.users,
    channels: file.channels.map((channel) => ({ ...channel, locked: isLocked('live', channel.id) })),
    videos: file.videos.map((video) => ({
      ...video,
      owner: video.owner ?? ownerOf.get(video.channel_id) ?? '',
      locked: isLocked('recorded', video.id) || isLocked('live', video.channel_id),
    })),
    viewers: viewers ? [...viewers] : file.viewers,
    locks,
    viewer_auth: viewerAuth,
    generated_views: file.generated_views,
  }
}
