import { SERVICE_FEATURES } from '../service-features.ts'
import type { SeedFile } from './seed-schema.ts'

interface Mistake {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Lists references to nothing, repeated ids, fields that contradict each other, and unusable keys. */
export function wrongReferences(file: SeedFile): Mistake[] {
  const { clients, users, channels, videos, locks, views, viewer_auth: viewerAuth = [] } = file
  const usernames = new Set(users.map(({ username }) => username))
  const ids = { live: new Set(channels.map(({ id }) => id)), recorded: new Set(videos.map(({ id }) => id)) }
  const locked = new Set([...locks, ...viewerAuth].map(contentOf))
  return [
    ...repeated('users', users, 'username', ({ username }) => username.toLowerCase()),
    ...repeated('clients', clients, 'client_id', ({ client_id }) => client_id),
    ...repeated('channels', channels, 'id', ({ id }) => id),
    ...repeated('videos', videos, 'id', ({ id }) => id),
    ...repeated('views', views, 'view_id', ({ view_id }) => view_id),
    ...repeated('locks', locks, 'content_id', contentOf),
    ...repeated('viewer_auth', viewerAuth, 'content_id', contentOf),
    ...Object.entries({ clients, channels, videos }).flatMap(([list, items]) =>
      wrong<{ readonly owner?: string | undefined }>(list, items, 'owner', ({ owner }) =>
        owner === undefined || usernames.has(owner) ? null : 'is not the name of a user',
      ),
    ),
    ...wrong('videos', videos, 'channel_id', ({ channel_id }) =>
      ids.live.has(channel_id) ? null : 'is not the id of a channel',
    ),
    ...Object.entries({ locks, viewer_auth: viewerAuth, views }).flatMap(([list, items]) =>
      wrong<ContentRef>(list, items, 'content_id', ({ content_type: type, content_id: id }) =>
        ids[type].has(id) ? null : `is not the id of a ${type === 'live' ? 'channel' : 'video'}`,
      ),
    ),
    ...wrong('channels', channels, 'locked', (one) => wrongLocked(one.locked, locked.has(`live ${one.id}`))),
    ...wrong('videos', videos, 'locked', (one) =>
      wrongLocked(one.locked, locked.has(`recorded ${one.id}`) || locked.has(`live ${one.channel_id}`)),
    ),
    ...wrong('clients', clients, 'redirect_uri_prefix', ({ redirect_uri_prefix: first, redirect_uri_prefixes: all }) =>
      [undefined, all[0]].includes(first) ? null : 'is not the first of redirect_uri_prefixes. Leave it out',
    ),
    ...wrong(
      'viewer_auth',
      viewerAuth,
      'public_key',
      ({ public_key: key }) =>
        SERVICE_FEATURES.map(({ faultInKey }) => faultInKey(key)).find((fault) => fault !== null) ?? null,
    ),
    ...wrong('views', views, 'finished_at', ({ started_at: start, finished_at: end }) =>
      Date.parse(end ?? '') < Date.parse(start) ? 'is before started_at' : null,
    ),
  ]
}

type ContentRef = Pick<SeedFile['views'][number], 'content_type' | 'content_id'>

function contentOf({ content_type, content_id }: ContentRef): string {
  return `${content_type} ${content_id}`
}

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

/** Lists the items with a value that an item before has too. Items without a value are different. */
function repeated<Item>(
  list: string,
  items: readonly Item[],
  field: string,
  textOf: (item: Item) => string | undefined,
): Mistake[] {
  const firstPlaces = new Map<string, number>()
  return items.flatMap((item, at) => {
    const value = textOf(item)
    if (value === undefined) return []
    const first = firstPlaces.get(value) ?? at
    firstPlaces.set(value, first)
    return first === at ? [] : [{ path: [list, at, field], message: `is the same as in ${list}[${first}]` }]
  })
}

function wrongLocked(locked: boolean | undefined, isLocked: boolean): string | null {
  if (locked === undefined || locked === isLocked) return null
  return `is ${locked}, but "locks" says otherwise. Leave it out`
}
