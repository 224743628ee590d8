import { type Client, type Entry, Filter, FilterParser, ResultCodeError } from 'ldapts'
import { ConfigError, UpstreamError } from '../../errors.ts'
import { createRemoteGuard, type RemoteGuard } from '../remote/guard.ts'
import { isPossiblePassword, remoteViewer } from '../remote/read-viewer.ts'
import type { Authentication, UserStore, Viewer, ViewerState, Warn } from '../user-store.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import { type BindAnswer, type BindRefusal, bindAsViewer, mustChangePassword, refusalOf } from './bind.ts'
import { asUpstreamError, bindAsService, directoryOf, LDAP_CODE, withDirectory } from './connection.ts'
import { groupsOf, isDisabled, searchedAttributes, texts, viewerOf } from './entry.ts'
import type { LdapStoreSettings } from './settings.ts'

export interface LdapStoreOptions {
  readonly guard?: RemoteGuard
  readonly warn?: Warn
  /** UNIX time in seconds, to compare with expiry dates of accounts. */
  readonly nowSeconds?: () => number
}

/** The result of a search for one user name. */
interface SearchResult {
  readonly entries: readonly Entry[]
  /** Empty if there is not exactly one entry, or `memberOf` is used. */
  readonly groups: readonly string[]
}

const WRONG: Authentication = { ok: false, reason: 'wrong-credentials' }
/** The most entries with one address that are read, disabled or not. */
const MOST_WITH_ADDRESS = 10
const UNKNOWN_NAME = 'no-such-user'

/**
 * Opens a store in an LDAP directory or Active Directory. A service account searches for the user name, and a bind as
 * the found entry checks the password. Aliases and referrals are not followed, and two entries for one name are an
 * error. For an unknown user the app also tries a bind, so that both cases take the same number of steps.
 *
 * @throws ConfigError for an invalid filter.
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

  /** Throws refusals outside the guard: a directory that refuses a request is available. */
  async function request<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const result = await guard.run((signal) => withDirectory(directory, signal, (client) => resultOf(work(client))))
    if ('refusal' in result) throw asUpstreamError(directory, result.refusal)
    return result.value
  }
  function assertOpen(): void {
    if (!isOpen) throw new UpstreamError('user-store', 'The user store is closed')
  }
  async function authenticate(typed: string, password: string): Promise<Authentication> {
    assertOpen()
    const username = withoutDomain(typed, settings.domain)
    if (faultInUsername(username) !== null || !isPossiblePassword(password)) return WRONG
    const { entries, groups, bind } = await request((client) => trySignIn(client, settings, username, password))
    const entry = singleEntry(entries)
    if (entry === null) return WRONG
    const refusal = refusalIn(entry, bind, nowSeconds(), warn)
    if (refusal !== null) return { ok: false, reason: refusal, ...otherName(entry, settings, typed) }
    return { ok: true, viewer: readViewer(entry, groups, settings) }
  }
  async function inspect(username: string): Promise<ViewerState | null> {
    assertOpen()
    if (faultInUsername(username) !== null) return null
    const { entries, groups } = await request((client) => lookUp(client, settings, username))
    const entry = singleEntry(entries)
    return entry && stateIn(entry, readViewer(entry, groups, settings), nowSeconds())
  }
  return {
    authenticate,
    async find(username) {
      const known = await inspect(username)
      if (known === null || known.viewer.disabled) return null
      const { disabled: _disabled, ...viewer } = known.viewer
      // The filter may match another viewer by another attribute. A session must not change its viewer.
      return usernameKey(viewer.username) === usernameKey(username) ? viewer : null
    },
    inspect,
    async findByAddress(name, address) {
      assertOpen()
      const filter = addressFilter(settings, name, address)
      return await request((client) => lookUpAddress(client, settings, filter, nowSeconds()))
    },
    async checkHealth() {
      assertOpen()
      await guard.probe((signal) =>
        withDirectory(
          directory,
          signal,
          async (client) => void (await search(client, settings, nameFilter(settings, UNKNOWN_NAME))),
        ),
      )
    },
    close() {
      isOpen = false
      return Promise.resolve()
    },
  }
}

function refusalIn(entry: Entry, bind: BindAnswer, nowSeconds: number, warn: Warn): BindRefusal['reason'] | null {
  if (bind.ok) {
    if (isDisabled(entry, nowSeconds)) return 'disabled'
    return mustChangePassword(bind) ? 'expired-password' : null
  }
  const refusal = refusalOf(bind)
  if (refusal === null) {
    throw new UpstreamError('user-store', `The directory did not check a password: ${bind.message}`)
  }
  if (refusal.note !== null) warn(`In the directory, ${JSON.stringify(entry.dn)} ${refusal.note}.`)
  return refusal.reason
}

/** Returns the refusal of a single request as a value, since it is not a failure of the directory. */
async function resultOf<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly refusal: ResultCodeError }> {
  try {
    return { value: await work }
  } catch (error) {
    if (!(error instanceof ResultCodeError)) throw error
    if (error.code === LDAP_CODE.busy || error.code === LDAP_CODE.unavailable) throw error
    return { refusal: error }
  }
}

async function trySignIn(client: Client, settings: LdapStoreSettings, username: string, password: string) {
  const entries = await search(client, settings, nameFilter(settings, username))
  const [entry] = entries
  const isOne = entry !== undefined && entries.length === 1
  const bind = await bindAsViewer(client, isOne ? entry.dn : unknownUserDn(settings), password)
  if (!isOne || !bind.ok || settings.groups === null) return { entries, groups: [], bind }
  // The viewer may lack read access to groups, so the service account reads them.
  await bindAsService(client, settings)
  return { entries, groups: await searchGroups(client, settings.groups, entry.dn), bind }
}

async function lookUp(client: Client, settings: LdapStoreSettings, username: string): Promise<SearchResult> {
  return await withGroups(client, settings, await search(client, settings, nameFilter(settings, username)))
}

/** Looks up the enabled entry with an address. At the limit, an entry that was not read may be enabled too. */
async function lookUpAddress(
  client: Client,
  settings: LdapStoreSettings,
  filter: string,
  nowSeconds: number,
): Promise<Viewer | 'several' | null> {
  const all = await search(client, settings, filter, MOST_WITH_ADDRESS)
  const enabled = all.filter((entry) => !isDisabled(entry, nowSeconds))
  if (enabled.length > 1 || all.length === MOST_WITH_ADDRESS) return 'several'
  const { entries, groups } = await withGroups(client, settings, enabled)
  const entry = singleEntry(entries)
  return entry && readViewer(entry, groups, settings)
}

async function withGroups(
  client: Client,
  settings: LdapStoreSettings,
  entries: readonly Entry[],
): Promise<SearchResult> {
  const [entry] = entries
  const isSearched = settings.groups !== null && entry !== undefined && entries.length === 1
  return { entries, groups: isSearched ? await searchGroups(client, settings.groups, entry.dn) : [] }
}

/** Takes the domain off a name that was typed as `EXAMPLE\ada` or `EXAMPLE/ada`. */
function withoutDomain(typed: string, domain: string | null): string {
  const [, before = '', name = ''] = /^([^\\/]+)[\\/](.+)$/.exec(typed) ?? []
  return domain !== null && before.toLowerCase() === domain.toLowerCase() ? name : typed
}

/** Returns the filter for one user name. */
function nameFilter(settings: LdapStoreSettings, username: string): string {
  return filterOf(settings, Filter.escape(canonicalText(username)))
}

/** @param escaped the name in a filter, or `*` for any name. */
function filterOf({ userFilter }: LdapStoreSettings, escaped: string): string {
  return userFilter.replaceAll('{username}', () => escaped)
}

/** Returns the filter for the viewers with this address, within the conditions that LDAP_USER_FILTER has for viewers. */
function addressFilter(settings: LdapStoreSettings, name: string, address: string): string {
  const { attribute } = settings.attributes.find((one) => one.name === name) ?? {}
  if (attribute === undefined) throw new RangeError(`LDAP_ATTRIBUTES has no ${name}`)
  return `(&${filterOf(settings, '*')}(${attribute}=${Filter.escape(address)}))`
}

async function search(
  client: Client,
  settings: LdapStoreSettings,
  filter: string,
  sizeLimit = 2,
): Promise<readonly Entry[]> {
  const { searchEntries } = await client.search(settings.searchBase, {
    scope: 'sub',
    filter,
    attributes: searchedAttributes(settings),
    sizeLimit,
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
    // Active Directory returns a thousand entries at most without paging.
    paged: { pageSize: 500 },
  })
  return searchEntries.flatMap((group) => texts(group, 'cn'))
}

/** Returns the entry; null if there is none. @throws UpstreamError for two entries, or an entry without a name. */
function singleEntry([entry, another]: readonly Entry[]): Entry | null {
  if (entry === undefined) return null
  if (another !== undefined) {
    throw new UpstreamError('user-store', 'The directory has two entries for one user name: narrow LDAP_USER_FILTER')
  }
  // A bind without a name is anonymous and always succeeds (RFC 4513, 5.1.2).
  if (entry.dn === '') throw new UpstreamError('user-store', 'The directory returned an entry without a name')
  return entry
}

function readViewer(entry: Entry, searched: readonly string[], settings: LdapStoreSettings): Viewer {
  const groups = settings.groups === null ? groupsOf(entry) : searched
  const viewer = viewerOf(entry, settings, groups)
  if (viewer !== null) return remoteViewer(viewer, 'The directory')
  const fault = `An entry found by LDAP_USER_FILTER has no ${settings.usernameAttribute}`
  throw new UpstreamError('user-store', `${fault}: set LDAP_USERNAME_ATTRIBUTE to an attribute of every viewer`)
}

function stateIn(entry: Entry, viewer: Viewer, nowSeconds: number): ViewerState {
  return { viewer: { ...viewer, disabled: isDisabled(entry, nowSeconds) }, hasPassword: true, invitation: null }
}

/** Returns the viewer's name in the directory, if the typed name is another name of the same entry. */
function otherName(entry: Entry, settings: LdapStoreSettings, typed: string): { readonly storedName?: string } {
  const storedName = viewerOf(entry, settings, [])?.username
  return storedName === undefined || usernameKey(storedName) === usernameKey(typed) ? {} : { storedName }
}

function unknownUserDn({ searchBase }: LdapStoreSettings): string {
  return `cn=${UNKNOWN_NAME},${searchBase}`
}

function assertFilter(setting: string, filter: string): void {
  try {
    FilterParser.parseString(filter.replaceAll(/\{(username|dn)\}/g, 'x'))
  } catch (cause) {
    throw new ConfigError(`${setting} must be a valid LDAP filter (RFC 4515)`, { cause })
  }
}
