import type { Entry } from 'ldapts'
import type { Viewer } from '../user-store.ts'
import type { LdapStoreSettings } from './settings.ts'

/** ACCOUNTDISABLE of Active Directory's userAccountControl. */
const ACCOUNT_DISABLED = 0x2
/** The year 0 in OpenLDAP's pwdAccountLockedTime: locked by an administrator, without an end. */
const LOCKED_FOREVER = '0000'
/** accountExpires counts tenths of microseconds from 1601; these two mean never. */
const FILE_TIME_PER_SECOND = 10_000_000n
const SECONDS_FROM_1601_TO_1970 = 11_644_473_600n
const NEVER: readonly bigint[] = [0n, 0x7fff_ffff_ffff_ffffn]

/** Attributes that show whether an account is disabled. */
const STATES = ['userAccountControl', 'accountExpires', 'nsAccountLock', 'loginDisabled', 'pwdAccountLockedTime']

/** Returns the attributes that a search for viewers requests. */
export function searchedAttributes({ usernameAttribute, attributes, groups }: LdapStoreSettings): string[] {
  const groupAttribute = groups === null ? ['memberOf'] : []
  return [usernameAttribute, ...attributes.map(({ attribute }) => attribute), ...groupAttribute, ...STATES]
}

/**
 * True if an administrator disabled the account, or the account expired: userAccountControl and accountExpires in
 * Active Directory, nsAccountLock in 389 Directory Server and FreeIPA, loginDisabled in eDirectory,
 * pwdAccountLockedTime without an end in OpenLDAP. A lock after wrong passwords does not count: an attacker could end
 * any viewer's session with it.
 */
export function isDisabled(entry: Entry, nowSeconds: number): boolean {
  const [control = '0'] = texts(entry, 'userAccountControl')
  if ((Number(control) & ACCOUNT_DISABLED) !== 0) return true
  if (isTrue(entry, 'nsAccountLock') || isTrue(entry, 'loginDisabled')) return true
  const isLockedForever = texts(entry, 'pwdAccountLockedTime').some((time) => time.startsWith(LOCKED_FOREVER))
  return isLockedForever || isExpired(entry, nowSeconds)
}

/** Returns the viewer of an entry; null if the entry has no user name. */
export function viewerOf(entry: Entry, settings: LdapStoreSettings, groups: readonly string[]): Viewer | null {
  const username = firstText(entry, settings.usernameAttribute)
  if (username === undefined) return null
  const attributes: Record<string, string> = {}
  for (const { name, attribute } of settings.attributes) {
    const value = firstText(entry, attribute)
    if (value !== undefined) attributes[name] = value
  }
  return { username, groups, attributes }
}

/** Returns the names of the groups in `memberOf`: the cn at the beginning of each value. */
export function groupsOf(entry: Entry): string[] {
  return texts(entry, 'memberOf').flatMap((dn) => commonName(dn) ?? [])
}

/** Returns the values of an attribute. Upper and lower case of its name do not matter, as in a directory. */
export function texts(entry: Entry, attribute: string): string[] {
  const name = Object.keys(entry).find((key) => key !== 'dn' && key.toLowerCase() === attribute.toLowerCase())
  const value = name === undefined ? [] : entry[name]
  const values = Array.isArray(value) ? value : [value]
  return values.flatMap((item) => (item === undefined || item.length === 0 ? [] : item.toString()))
}

/** Returns the first value by code units: a directory has no order of values. */
function firstText(entry: Entry, attribute: string): string | undefined {
  return texts(entry, attribute).toSorted()[0]
}

function isTrue(entry: Entry, attribute: string): boolean {
  return texts(entry, attribute).some((text) => text.toUpperCase() === 'TRUE')
}

function isExpired(entry: Entry, nowSeconds: number): boolean {
  const [text = ''] = texts(entry, 'accountExpires')
  if (!/^\d{1,19}$/.test(text) || NEVER.includes(BigInt(text))) return false
  return BigInt(text) / FILE_TIME_PER_SECOND - SECONDS_FROM_1601_TO_1970 <= BigInt(Math.floor(nowSeconds))
}

/** Returns the first value of a name such as `CN=Gold\, silver,OU=Groups,DC=example`, unescaped (RFC 4514, 2.4). */
function commonName(dn: string): string | null {
  const [, value] = /^cn=((?:\\[0-9a-f]{2}|\\.|[^,+\\])*)/iu.exec(dn) ?? []
  if (value === undefined || value.startsWith('#')) return null
  // Each \XX is one byte of UTF-8, so adjacent escapes are decoded together.
  return value.replace(/(?:\\[0-9a-f]{2})+|\\(.)/giu, (escaped, character?: string) =>
    character === undefined ? Buffer.from(escaped.replaceAll('\\', ''), 'hex').toString('utf8') : character,
  )
}
