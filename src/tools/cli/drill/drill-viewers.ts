import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSharedStores } from '../../../config.ts'
import { ConfigError, UpstreamError } from '../../../errors.ts'
import { columnOfKind, titlesOf } from '../../../files/list-columns.ts'
import { openRecordStream, type RecordFile } from '../../../files/record-file.ts'
import { stores } from '../../../stores.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { storedPasswords } from '../../../users/passwords/stored-passwords.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { faultInViewer } from '../../../users/viewer-fields.ts'
import { viewerRows } from '../import/viewer-file.ts'
import { countWords } from '../output/words.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import type { Outcome } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { Credentials } from './crowd/plan.ts'

/** The app waits while a file of sessions is written. */
const BATCH_SIZE = 1_000

const STANDARD_INPUT = '-'
const BATCH_VIEWERS = 250

/**
 * Reads user names and passwords from the columns `username` and `password` of a CSV file.
 * @param path `-` for standard input.
 * @throws ConfigError that names the file or line. It repeats no value.
 */
export async function readViewers(path: string, stdin: CommandIo['stdin']): Promise<Credentials[]> {
  const name = path === STANDARD_INPUT ? 'Standard input' : path
  const file = await openRecordStream(name, path === STANDARD_INPUT ? stdin : createReadStream(path))
  try {
    if (file.isJsonLines)
      throw new ConfigError(`${name} is JSON. A drill needs CSV with the columns username and password.`)
    return await readRows(name, file)
  } finally {
    file.close()
  }
}

async function readRows(name: string, file: Omit<RecordFile, 'sizeBytes'>): Promise<Credentials[]> {
  const viewers: Credentials[] = []
  const seen = new Set<string>()
  const titles = titlesOf(file.header)
  const username = columnOfKind(titles, ['username', 'address'])
  const password = columnOfKind(titles, ['password'])
  if (file.header !== null && (username === undefined || password === undefined)) {
    throw new ConfigError(`${name} needs the columns username and password in its first line.`)
  }
  const ignored = new Set(titles.filter((title) => title !== username && title !== password))
  const options = { columnOfField: new Map<string, string>(), ignored, needsPassword: true, featureColumns: [] }
  for await (const rows of file.header ? viewerRows({ ...file, sizeBytes: 0 }, options) : []) {
    for (const one of rows) {
      if (!one.ok || one.row.username === '' || one.row.password === undefined) {
        throw new ConfigError(`Line ${one.line} of ${name} has no user name, no password or another number of cells.`)
      }
      if (seen.has(one.row.username)) throw new ConfigError(`Line ${one.line} of ${name} repeats a user name.`)
      seen.add(one.row.username)
      viewers.push({ username: one.row.username, password: one.row.password })
    }
  }
  if (viewers.length === 0) throw new ConfigError(`${name} has no viewers. Its first line names its columns.`)
  return viewers
}

/**
 * Adds made-up viewers with these groups and attributes to the user store of the settings, does the work, and removes them, also after a failure. All
 * share one random password, since a hash for each would take minutes.
 * @throws ConfigError for a store that cannot be edited, and if viewers could not be removed.
 */
export async function withMadeUpViewers(
  io: CommandIo,
  count: number,
  fields: Pick<Viewer, 'groups' | 'attributes'>,
  work: (viewers: Credentials[]) => Promise<Outcome>,
): Promise<Outcome> {
  const fault = faultInViewer({ username: 'drill', ...fields })
  if (fault !== null) return { ok: false, fault }
  return await withEditableStore(io, async (store) => {
    const prefix = `drill-${randomBytes(4).toString('hex')}-`
    const password = randomBytes(18).toString('base64url')
    const viewers = Array.from({ length: count }, (_, index) => ({ username: `${prefix}${index + 1}`, password }))
    let isAdded = false
    try {
      io.stderr.write(
        `Adds ${countWords(count, 'viewer')} to the user store of the settings. Their names begin with ${prefix}\n` +
          `If the drill is killed, this removes them: ${removalOf(prefix)}\n`,
      )
      await addAll(store, viewers, { ...fields, passwordHash: await storedPasswords.hash(password) })
      isAdded = true
      return await work(viewers)
    } finally {
      // Before the viewers are gone: else a drill that is killed here leaves sessions that no command finds.
      await endMadeUpSessions(io, viewers)
      await removeAll(io, store, viewers, prefix, isAdded ? TRY_AGAIN : { everyMs: 0, atMostMs: -1 })
    }
  })
}

async function addAll(
  store: EditableUserStore,
  viewers: readonly Credentials[],
  fields: Pick<Viewer, 'groups' | 'attributes'> & { readonly passwordHash: string },
): Promise<void> {
  for (let at = 0; at < viewers.length; at += BATCH_VIEWERS) {
    const batch = viewers.slice(at, at + BATCH_VIEWERS)
    await store.importBatch(
      batch.map(({ username }) => ({ username, disabled: undefined, ...fields })),
      'keep',
    )
  }
}

/** The pause before the next try, and the longest wait, for a store that is away at the end. */
const TRY_AGAIN = { everyMs: 2_000, atMostMs: 60_000 }

/**
 * Does the work at the end of a drill. Retries the work while a store is away.
 * @throws the error of `leftOver`, if the store stays away.
 */
export async function retryWhileAway(
  work: () => Promise<void>,
  leftOver: (cause: UpstreamError) => Error,
  { everyMs, atMostMs } = TRY_AGAIN,
  /** Called at the first failure. */
  onAway: () => void = () => {},
): Promise<void> {
  let isAway = false
  for (const lastMs = performance.now() + atMostMs; ; await sleep(everyMs)) {
    try {
      return await work()
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause
      if (performance.now() + everyMs > lastMs) throw leftOver(cause)
      if (!isAway) onAway()
      isAway = true
    }
  }
}

/**
 * Removes the viewers. If the store is away, waits until it is back.
 * @throws ConfigError that names a command, if the store stays away.
 */
export async function removeAll(
  { stderr }: Pick<CommandIo, 'stderr'>,
  store: Pick<EditableUserStore, 'remove'>,
  viewers: readonly Credentials[],
  prefix: string,
  times = TRY_AGAIN,
): Promise<void> {
  const left = viewers.map(({ username }) => username)
  const removeLeft = async () => {
    for (; left[0] !== undefined; left.shift()) await store.remove(left[0])
  }
  const tell = () => void stderr.write('Waits for the user store, to remove the made-up viewers.\n')
  await retryWhileAway(removeLeft, (cause) => leftOver(prefix, cause), times, tell)
}

function leftOver(prefix: string, cause: unknown): ConfigError {
  const fault = 'The user store does not answer, so made-up viewers remain.'
  return new ConfigError(`${fault} When it is back, run: ${removalOf(prefix)}`, { cause })
}

function removalOf(prefix: string): string {
  return `viewer-auth drill --remove-made-up ${prefix}`
}

/** Removes the viewers of an earlier drill, and ends their sessions. @param prefix of their names, which only a drill gives. */
export async function removeMadeUpViewers(io: CommandIo, prefix: string): Promise<Outcome> {
  return await withEditableStore(io, async (store) => {
    const viewers: Viewer[] = []
    for await (const { viewer } of store.list()) if (viewer.username.startsWith(prefix)) viewers.push(viewer)
    await endMadeUpSessions(io, viewers)
    for (const { username } of viewers) await store.remove(username)
    return { ok: true, text: `Removed ${countWords(viewers.length, 'viewer')}.`, data: { removed: viewers.length } }
  })
}

/**
 * Ends the sessions of made-up viewers, so that only real ones are left. If the store of the sessions cannot be
 * used, says so, because the viewers must be removed all the same.
 * @param areGuests true for viewers who are not in the user store.
 */
export async function endMadeUpSessions(
  { env, stderr }: Pick<CommandIo, 'env' | 'stderr'>,
  crowd: readonly Pick<Credentials, 'username'>[],
  areGuests = false,
): Promise<void> {
  try {
    const sessions = await stores.sessions(readSharedStores(env).sessionStore)
    const usernames = crowd.map(({ username }) => username)
    for (let at = 0; at < usernames.length; at += BATCH_SIZE) {
      await sessions.end(usernames.slice(at, at + BATCH_SIZE), areGuests)
    }
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof UpstreamError)) throw error
    stderr.write(`Sessions of the made-up viewers remain in the list until they expire. ${error.message}\n`)
  }
}
