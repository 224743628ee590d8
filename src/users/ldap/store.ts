import { type Client, type Entry, Filter, FilterParser, ResultCodeError } from 'ldapts'
import { ConfigError, UpstreamError } from '../../errors.ts'
import { createRemoteGuard, type RemoteGuard } from '../remote/guard.ts'
import { isPossiblePassword, remoteViewer } from '../remote/read-viewer.ts'
import type { Authentication, UserStore, Viewer, Warn } from '../user-store.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import { type BindAnswer, bindAsViewer, mustChangePassword, refusalOf } from './bind.ts'
import { bindAsService, directoryOf, LDAP_CODE, upstream, withDirectory } from './connection.ts'
import { groupsOf, isDisabled, searchedAttributes, texts, viewerOf } from './entry.ts'
import type { LdapStoreSettings } from './settings.ts'

export interface LdapStoreOptions {
  readonly guard?: RemoteGuard
  readonly warn?: Warn
  /** UNIX time in seconds: accounts have a last day. */
  readonly nowSeconds?: () => number
}

/** What a search for one name found. */
interface Found {
  readonly entries: readonly Entry[]
  /** Empty where it is not known who asks, or `memberOf` tells. */
  readonly groups: readonly string[]
}

const WRONG: Authentication = { ok: false, reason: 'wrong-credentials' }
const NOBODY = 'nobody-of-this-name'

/**
 * Viewers in an LDAP directory or Active Directory: a service account searches for the name, and the password is checked
 * by a bind as what was found. Names are escaped by the library, aliases and referrals are not followed, and two entries
 * for one name open nothing. For a name that nobody has a bind is tried all the same, so that it takes as many steps; how
 * long the directory itself takes for a password it can compare is its own affair.
 *
 * @throws ConfigError for a filter that is none.
 */
export function openLdapStore(
  settings: LdapStoreSettings,
  {
    warn = () => {},
    guard = createRemoteGuard({ timeoutMs: settings.timeoutMs, warn }),
    nowSeconds = () => Date.now() / 1000,
  }: LdapStoreOptions = {},
): UserStore {
  assertFilter('LDAP_USER_FILTER', settings.userFilter)
  if (settings.groups !== null) assertFilter('LDAP_GROUP_FILTER', settings.groups.filter)
  const directory = directoryOf(settings)
  let isOpen = true

  /** What is asked is answered within the guard and judged outside: an answer shows that the directory is there. */
  async function ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const answer = await guard.run((signal) => withDirectory(directory, signal, (client) => answerOf(work(client))))
    if ('fault' in answer) throw upstream(directory, answer.fault)
    return answer.value
  }
  function assertOpen(): void {
    if (!isOpen) throw new UpstreamError('user-store', 'The directory is not asked any more: the store is closed')
  }
  async function authenticate(username: string, password: string): Promise<Authentication> {
    assertOpen()
    if (faultInUsername(username) !== null || !isPossiblePassword(password)) return WRONG
    const { entries, groups, bind } = await ask((client) => trySignIn(client, settings, username, password))
    const entry = onlyOne(entries)
    if (entry === null) return WRONG
    if (!bind.ok) return refuse(entry, bind)
    if (isDisabled(entry, nowSeconds())) return { ok: false, reason: 'disabled' }
    if (mustChangePassword(bind)) return { ok: false, reason: 'expired-password' }
    return { ok: true, viewer: readViewer(entry, groups, settings) }
  }
  function refuse({ dn }: Entry, bind: BindAnswer): Authentication {
    const refusal = refusalOf(bind)
    if (refusal === null) {
      throw new UpstreamError('user-store', `The directory did not check a password: ${bind.message}`)
    }
    if (refusal.note !== null) warn(`In the directory, ${JSON.stringify(dn)} ${refusal.note}.`)
    return { ok: false, reason: refusal.reason }
  }
  return {
    authenticate,
    async find(username) {
      assertOpen()
      if (faultInUsername(username) !== null) return null
      const { entries, groups } = await ask((client) => lookUp(client, settings, username))
      const entry = onlyOne(entries)
      if (entry === null || isDisabled(entry, nowSeconds())) return null
      const viewer = readViewer(entry, groups, settings)
      // By another attribute of the filter a name may be somebody else's by now: a session is never passed on.
      return usernameKey(viewer.username) === usernameKey(username) ? viewer : null
    },
    async checkHealth() {
      assertOpen()
      await guard.probe((signal) =>
        withDirectory(directory, signal, async (client) => void (await search(client, settings, NOBODY))),
      )
    },
    close() {
      isOpen = false
      return Promise.resolve()
    },
  }
}

/** A refusal of this one question, by which the others are answered, as a value. */
async function answerOf<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly fault: ResultCodeError }> {
  try {
    return { value: await work }
  } catch (error) {
    if (!(error instanceof ResultCodeError)) throw error
    if (error.code === LDAP_CODE.busy || error.code === LDAP_CODE.unavailable) throw error
    return { fault: error }
  }
}

async function trySignIn(client: Client, settings: LdapStoreSettings, username: string, password: string) {
  const entries = await search(client, settings, username)
  const [entry] = entries
  const isOne = entry !== undefined && entries.length === 1
  const bind = await bindAsViewer(client, isOne ? entry.dn : nobodysDn(settings), password)
  if (!isOne || !bind.ok || settings.groups === null) return { entries, groups: [], bind }
  // What the viewer may not read counts all the same, so it is read by the account that searches.
  await bindAsService(client, settings)
  return { entries, groups: await searchGroups(client, settings.groups, entry.dn), bind }
}

async function lookUp(client: Client, settings: LdapStoreSettings, username: string): Promise<Found> {
  const entries = await search(client, settings, username)
  const [entry] = entries
  const isSearched = settings.groups !== null && entry !== undefined && entries.length === 1
  return { entries, groups: isSearched ? await searchGroups(client, settings.groups, entry.dn) : [] }
}

async function search(client: Client, settings: LdapStoreSettings, username: string): Promise<readonly Entry[]> {
  const { searchEntries } = await client.search(settings.searchBase, {
    scope: 'sub',
    filter: settings.userFilter.replaceAll('{username}', () => Filter.escape(canonicalText(username))),
    attributes: searchedAttributes(settings),
    sizeLimit: 2,
    timeLimit: Math.ceil(settings.timeoutMs / 1000),
  })
  return searchEntries
}

async function searchGroups(
  client: Client,
  { base, filter }: NonNullable<LdapStoreSettings['groups']>,
  dn: string,
): Promise<string[]> {
  const { searchEntries } = await client.search(base, {
    scope: 'sub',
    filter: filter.replaceAll('{dn}', () => Filter.escape(dn)),
    attributes: ['cn'],
    // Active Directory gives a thousand at a time, and an error for the rest.
    paged: { pageSize: 500 },
  })
  return searchEntries.flatMap((group) => texts(group, 'cn'))
}

/** @throws UpstreamError for more than one: which of them the viewer is, nobody knows. */
function onlyOne([entry, another]: readonly Entry[]): Entry | null {
  if (entry === undefined) return null
  if (another !== undefined) {
    throw new UpstreamError(
      'user-store',
      'The directory has two entries for one user name: make LDAP_USER_FILTER narrower',
    )
  }
  // A bind without a name is an anonymous one, whatever the password (RFC 4513, 5.1.2).
  if (entry.dn === '') throw new UpstreamError('user-store', 'The directory found an entry without a name')
  return entry
}

function readViewer(entry: Entry, searched: readonly string[], settings: LdapStoreSettings): Viewer {
  const groups = settings.groups === null ? groupsOf(entry) : searched
  const viewer = viewerOf(entry, settings, groups)
  if (viewer !== null) return remoteViewer(viewer, 'The directory')
  const what = `An entry that LDAP_USER_FILTER found has no ${settings.usernameAttribute}`
  throw new UpstreamError('user-store', `${what}: set LDAP_USERNAME_ATTRIBUTE to one that every viewer has`)
}

function nobodysDn({ searchBase }: LdapStoreSettings): string {
  return `cn=${NOBODY},${searchBase}`
}

function assertFilter(setting: string, filter: string): void {
  try {
    FilterParser.parseString(filter.replaceAll(/\{(username|dn)\}/g, 'x'))
  } catch (cause) {
    throw new ConfigError(`${setting} must be a filter of LDAP (RFC 4515): it is not one as it stands`, { cause })
  }
}
