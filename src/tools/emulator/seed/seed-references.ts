import { SERVICE_FEATURES } from '../service-features.ts'
import type { SeedFile } from './seed-schema.ts'

interface Mistake {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Lists references to nothing, and unusable keys. The database finds ids that come twice. */
export function wrongReferences(file: SeedFile): Mistake[] {
  const { clients, users, channels, videos, locks, viewer_auth: viewerAuth = [] } = file
  const usernames = new Set(users.map(({ username }) => username))
  const ids = { live: new Set(channels.map(({ id }) => id)), recorded: new Set(videos.map(({ id }) => id)) }
  return [
    ...Object.entries({ clients, channels, videos }).flatMap(([list, items]) =>
      wrong<{ readonly owner?: string | undefined }>(list, items, 'owner', ({ owner }) =>
        owner === undefined || usernames.has(owner) ? null : 'is not the name of a user',
      ),
    ),
    ...wrong('videos', videos, 'channel_id', ({ channel_id }) =>
      ids.live.has(channel_id) ? null : 'is not the id of a channel',
    ),
    ...Object.entries({ locks, viewer_auth: viewerAuth }).flatMap(([list, items]) =>
      wrong<ContentRef>(list, items, 'content_id', ({ content_type: type, content_id: id }) =>
        ids[type].has(id) ? null : `is not the id of a ${type === 'live' ? 'channel' : 'video'}`,
      ),
    ),
    ...wrong(
      'viewer_auth',
      viewerAuth,
      'public_key',
      ({ public_key: key }) =>
        SERVICE_FEATURES.map(({ faultInKey }) => faultInKey(key)).find((fault) => fault !== null) ?? null,
    ),
  ]
}

type ContentRef = Pick<SeedFile['locks'][number], 'content_type' | 'content_id'>

/** Lists the items of a list for which `messageFor` returns a message. */
function wrong<Item>(
  list: string,
  items: readonly Item[],
  field: string,
  messageFor: (item: Item) => string | null,
): Mistake[] {
  return items.flatMap((item, at) => {
    const message = messageFor(item)
    return message === null ? [] : [{ path: [list, at, field], message }]
  })
}
