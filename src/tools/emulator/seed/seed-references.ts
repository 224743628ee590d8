interface Mistake {
  readonly path: readonly (string | number)[]
  readonly message: string
}
type Row = Readonly<Record<string, unknown>>

/**
 * Lists references to nothing, repeated ids, and fields that contradict each other. Reads the file before its values
 * are checked, so that all mistakes are listed at once. Skips values of a wrong type.
 */
export function wrongReferences(json: unknown): Mistake[] {
  const clients = rows(json, 'clients')
  const users = rows(json, 'users')
  const channels = rows(json, 'channels')
  const videos = rows(json, 'videos')
  const locks = rows(json, 'locks')
  const views = rows(json, 'views')
  const viewerAuth = rows(json, 'viewer_auth')
  const allLocks = [...locks, ...viewerAuth]
  const usernames = valuesOf(users, 'username', text)
  const ids = { live: valuesOf(channels, 'id', id), recorded: valuesOf(videos, 'id', id) }
  const owned = Object.entries({ clients, channels, videos })
  return [
    ...repeatedValues('users', users, 'username', (value) => text(value)?.toLowerCase()),
    ...repeatedValues('clients', clients, 'client_id', text),
    ...repeatedValues('channels', channels, 'id', id),
    ...repeatedValues('videos', videos, 'id', id),
    ...repeatedValues('views', views, 'view_id', text),
    ...owned.flatMap(([list, items]) =>
      unknownNames(list, items, 'owner', text, usernames, 'is not the name of a user'),
    ),
    ...unknownNames('videos', videos, 'channel_id', id, ids.live, 'is not the id of a channel'),
    ...Object.entries({ locks, viewer_auth: viewerAuth, views }).flatMap(([list, items]) =>
      unknownContent(list, items, ids),
    ),
    ...repeatedLocks('locks', locks),
    ...repeatedLocks('viewer_auth', viewerAuth),
    ...wrongLocked('channels', channels, (row) => hasLock(allLocks, 'live', row.id)),
    ...wrongLocked('videos', videos, (row) => {
      return hasLock(allLocks, 'recorded', row.id) || hasLock(allLocks, 'live', row.channel_id)
    }),
    ...clients.flatMap((client, at) => wrongPrefix(client, at)),
    ...views.flatMap((view, at) => endsBeforeStart(view, at)),
  ]
}

function rows(json: unknown, name: string): Row[] {
  const list = isRow(json) ? json[name] : undefined
  return Array.isArray(list) ? list.map((item: unknown) => (isRow(item) ? item : {})) : []
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Read = (value: unknown) => string | undefined
const text: Read = (value) => (typeof value === 'string' ? value : undefined)
const id: Read = (value) => (typeof value === 'number' ? String(value) : text(value))

function valuesOf(items: readonly Row[], field: string, read: Read): ReadonlySet<string | undefined> {
  return new Set(items.map((item) => read(item[field])))
}

function repeatedValues(list: string, items: readonly Row[], field: string, read: Read): Mistake[] {
  const firstPlaces = new Map<string, number>()
  return items.flatMap((item, at) => {
    const value = read(item[field])
    if (value === undefined) return []
    const first = firstPlaces.get(value) ?? at
    firstPlaces.set(value, first)
    return first === at ? [] : [{ path: [list, at, field], message: `is the same as in ${list}[${first}]` }]
  })
}

function unknownNames(
  list: string,
  items: readonly Row[],
  field: string,
  read: Read,
  known: ReadonlySet<string | undefined>,
  message: string,
): Mistake[] {
  return items.flatMap((item, at) => {
    const value = read(item[field])
    return value === undefined || known.has(value) ? [] : [{ path: [list, at, field], message }]
  })
}

function unknownContent(
  list: string,
  items: readonly Row[],
  ids: Readonly<Record<'live' | 'recorded', ReadonlySet<string | undefined>>>,
): Mistake[] {
  return items.flatMap(({ content_type: type, content_id }, at) => {
    const value = id(content_id)
    if (value === undefined || (type !== 'live' && type !== 'recorded') || ids[type].has(value)) return []
    return [{ path: [list, at, 'content_id'], message: `is not the id of a ${type === 'live' ? 'channel' : 'video'}` }]
  })
}

function repeatedLocks(list: string, locks: readonly Row[]): Mistake[] {
  const contents = locks.map(({ content_type, content_id }) => `${text(content_type)} ${id(content_id)}`)
  return contents.flatMap((content, at) =>
    contents.indexOf(content) === at
      ? []
      : [{ path: [list, at], message: 'is a second lock of the same channel or video' }],
  )
}

function hasLock(locks: readonly Row[], type: string, contentId: unknown): boolean {
  return locks.some((lock) => lock.content_type === type && id(lock.content_id) === id(contentId))
}

function wrongLocked(list: string, items: readonly Row[], isLocked: (row: Row) => boolean): Mistake[] {
  return items.flatMap((item, at) =>
    typeof item.locked !== 'boolean' || item.locked === isLocked(item)
      ? []
      : [{ path: [list, at, 'locked'], message: `is ${item.locked}, but "locks" says otherwise. Leave it out` }],
  )
}

function wrongPrefix({ redirect_uri_prefix: first, redirect_uri_prefixes: all }: Row, at: number): Mistake[] {
  if (first === undefined || !Array.isArray(all) || all[0] === first) return []
  const message = 'is not the first of redirect_uri_prefixes. Leave it out'
  return [{ path: ['clients', at, 'redirect_uri_prefix'], message }]
}

function endsBeforeStart({ started_at: start, finished_at: end }: Row, at: number): Mistake[] {
  const isReversed = Date.parse(text(end) ?? '') < Date.parse(text(start) ?? '')
  return isReversed ? [{ path: ['views', at, 'finished_at'], message: 'is before started_at' }] : []
}
