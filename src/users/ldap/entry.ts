import type { Entry } from 'ldapts'
import type { Viewer } from '../user-store.ts'
import type { LdapStoreSettings } from './settings.ts'

/** ACCOUNTDISABLE of Active Directory's userAccountControl. */
const ACCOUNT_DISABLED = 0x2
/** OpenLDAP's pwdAccountLockedTime of an account that an administrator locked: the year 0, with seconds or without. */
const LOCKED_FOR_GOOD = '0000'
/** accountExpires counts tenths of microseconds from 1601; these two mean never. */
const FILE_TIME_PER_SECOND = 10_000_000n
const SECONDS_FROM_1601_TO_1970 = 11_644_473_600n
const NEVER: readonly bigint[] = [0n, 0x7fff_ffff_ffff_ffffn]

/** What has to be asked for, to know whether an account is in use. */
const STATES = ['userAccountControl', 'accountExpires', 'nsAccountLock', 'loginDisabled', 'pwdAccountLockedTime']

/** The attributes that a search for viewers asks for. */
export function searchedAttributes({ usernameAttribute, attributes, groups }: LdapStoreSettings): string[] {
  const groupAttribute = groups === null ? ['memberOf'] : []
  return [usernameAttribute, ...attributes.map(({ attribute }) => attribute), ...groupAttribute, ...STATES]
}

/**
 * Whether an account is shut by an administrator, or by its date: in Active Directory by userAccountControl or
 * accountExpires, in 389 Directory Server and FreeIPA by nsAccountLock, in eDirectory by loginDisabled, in OpenLDAP by
 * pwdAccountLockedTime without an end. A lock after too many wrong passwords is not meant: with it a stranger could end
 * the sessions of whoever they choose.
 */
export function isDisabled(entry: Entry, nowSeconds: number): boolean {
  const [control = '0'] = texts(entry, 'userAccountControl')
  if ((Number(control) & ACCOUNT_DISABLED) !== 0) return true
  if (isTrue(entry, 'nsAccountLock') || isTrue(entry, 'loginDisabled')) return true
  const isLockedForGood = texts(entry, 'pwdAccountLockedTime').some((time) => time.startsWith(LOCKED_FOR_GOOD))
  return isLockedForGood || isExpired(entry, nowSeconds)
}

/** The viewer of an entry, or null where the entry has no user name. */
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

/** The names of the groups that `memberOf` lists: what the cn says at the beginning of each. */
export function groupsOf(entry: Entry): string[] {
  return texts(entry, 'memberOf').flatMap((dn) => commonName(dn) ?? [])
}

/** An attribute's texts. Its name is compared without regard to case, as directories do. */
export function texts(entry: Entry, attribute: string): string[] {
  const name = Object.keys(entry).find((key) => key !== 'dn' && key.toLowerCase() === attribute.toLowerCase())
  const value = name === undefined ? [] : entry[name]
  const values = Array.isArray(value) ? value : [value]
  return values.flatMap((item) => (item === undefined || item.length === 0 ? [] : item.toString()))
}

/** Of several texts the first by their code units: a directory keeps them in no order, and a viewer has one name. */
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

/** The value that a name such as `CN=Gold\, silver,OU=Groups,DC=example` begins with (RFC 4514, 2.4). */
function commonName(dn: string): string | null {
  const [, value] = /^cn=((?:\\[0-9a-f]{2}|\\.|[^,+\\])*)/iu.exec(dn) ?? []
  if (value === undefined || value.startsWith('#')) return null
  // Each \XX is one byte of UTF-8, so those that follow each other are read together.
  return value.replace(/(?:\\[0-9a-f]{2})+|\\(.)/giu, (escaped, character?: string) =>
    character === undefined ? Buffer.from(escaped.replaceAll('\\', ''), 'hex').toString('utf8') : character,
  )
}
