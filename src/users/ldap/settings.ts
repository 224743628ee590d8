import { z } from 'zod'
import {
  isLoopbackHost,
  mistakesOf,
  type ReadSettings,
  type SettingMistake,
  wholeNumber,
} from '../../settings/fields.ts'
import { CertificatesFile } from '../../settings/named-file.ts'
import { isOnLaptop, namesHost } from '../remote/remote-address.ts'
import { faultInAttributeName } from '../viewer-fields.ts'

export interface LdapStoreSettings {
  readonly kind: 'ldap'
  /** `ldap://HOST:PORT` or `ldaps://HOST:PORT`, the port where it is not the usual one. */
  readonly url: string
  /** Whether an `ldap:` connection is encrypted before anything is said on it. */
  readonly startTls: boolean
  /** In PEM; null for the authorities that Node trusts. */
  readonly ca: string | null
  /** The account that searches: it reads, and needs no other right. */
  readonly bindDn: string
  readonly bindPassword: string
  readonly searchBase: string
  /** With `{username}` where the escaped name goes. */
  readonly userFilter: string
  /** The attribute that spells the user name. */
  readonly usernameAttribute: string
  /** The viewer's attributes, each from one of the directory. */
  readonly attributes: ReadonlyArray<{ readonly name: string; readonly attribute: string }>
  /** Where groups are searched, with `{dn}` where the viewer's goes; null where `memberOf` names them. */
  readonly groups: { readonly base: string; readonly filter: string } | null
  /** For one question, waiting included. */
  readonly timeoutMs: number
}

const FORM = 'must be ldaps://HOST or ldap://HOST, with a port where it is not the usual one, and nothing behind it'
const NO_TLS =
  'can be off only where both USER_STORE_URL and PUBLIC_URL are on localhost, 127.0.0.1 or [::1]: passwords would be ' +
  'readable on the way'
const NOT_BALANCED = 'must be a filter in parentheses, such as (uid={username})'
const ACCOUNT = 'must be a name such as cn=reader,dc=example,dc=com, reader@example.com or EXAMPLE\\reader'
const PLACE = 'must be a name in the directory, such as ou=people,dc=example,dc=com'
/** Not `dn`, which is the name of an entry, and no attribute of it. */
const ATTRIBUTE = /^(?!dn$)[a-z][a-z0-9-]*$/i
const ATTRIBUTES = 'must list name=attribute, as in department=departmentNumber'

/** The settings in the environment beside USER_STORE_URL. */
export const LdapStoreEnvironment = z.object({
  LDAP_START_TLS: z.enum(['on', 'off'], 'must be on or off').default('on'),
  LDAP_CA_FILE: CertificatesFile.optional(),
  // The other texts are names of SASL mechanisms to the library.
  LDAP_BIND_DN: z.string('is required: the name of the account that searches the directory').regex(/[=@\\]/, ACCOUNT),
  LDAP_BIND_PASSWORD: z.string('is required: the password of the account that searches the directory'),
  LDAP_SEARCH_BASE: z
    .string('is required: where the viewers are, such as ou=people,dc=example,dc=com')
    .regex(/=/, PLACE),
  LDAP_USERNAME_ATTRIBUTE: z.string().regex(ATTRIBUTE, 'must be the name of an attribute, such as uid').default('uid'),
  LDAP_USER_FILTER: z.string().refine(isBalanced, NOT_BALANCED).optional(),
  LDAP_ATTRIBUTES: z
    .string()
    .default('')
    .transform((text, context) => {
      const attributes = readAttributes(text)
      if (attributes !== null) return attributes
      context.addIssue({ code: 'custom', message: ATTRIBUTES })
      return z.NEVER
    }),
  LDAP_GROUP_BASE: z.string().regex(/=/, PLACE).optional(),
  LDAP_GROUP_FILTER: z.string().refine(isBalanced, 'must be a filter in parentheses, such as (member={dn})').optional(),
  LDAP_TIMEOUT_SECONDS: wholeNumber(1, 60).default(5),
})

/**
 * Whether an address is of a directory.
 * @param url the value of USER_STORE_URL.
 */
export function isLdapUrl(url: string): boolean {
  return /^ldaps?:/i.test(url)
}

/** Reads the settings of the store; every mistake is told by the name of its setting, and no value is repeated. */
export function readLdapStoreSettings(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): ReadSettings<LdapStoreSettings> {
  const parsed = LdapStoreEnvironment.safeParse(environment)
  const mistakes: SettingMistake[] = parsed.success ? [] : mistakesOf(parsed.error)
  const address = readAddress(url)
  if (address === null) mistakes.push({ setting: 'USER_STORE_URL', message: FORM })
  const mayBePlain = address !== null && isLoopbackHost(address.hostname) && isOnLaptop(environment.PUBLIC_URL)
  if (address?.protocol === 'ldap:' && environment.LDAP_START_TLS === 'off' && !mayBePlain) {
    mistakes.push({ setting: 'LDAP_START_TLS', message: NO_TLS })
  }
  if (parsed.success) mistakes.push(...filterMistakes(parsed.data))
  if (!parsed.success || address === null || mistakes.length > 0) return { ok: false, mistakes }
  const { data } = parsed
  const settings: LdapStoreSettings = {
    kind: 'ldap',
    url: `${address.protocol}//${address.host}`,
    startTls: address.protocol === 'ldap:' && data.LDAP_START_TLS === 'on',
    ca: data.LDAP_CA_FILE ?? null,
    bindDn: data.LDAP_BIND_DN,
    bindPassword: data.LDAP_BIND_PASSWORD,
    searchBase: data.LDAP_SEARCH_BASE,
    userFilter: data.LDAP_USER_FILTER ?? nameFilter(data.LDAP_USERNAME_ATTRIBUTE),
    usernameAttribute: data.LDAP_USERNAME_ATTRIBUTE,
    attributes: data.LDAP_ATTRIBUTES,
    groups:
      data.LDAP_GROUP_BASE === undefined
        ? null
        : { base: data.LDAP_GROUP_BASE, filter: data.LDAP_GROUP_FILTER ?? '(member={dn})' },
    timeoutMs: data.LDAP_TIMEOUT_SECONDS * 1000,
  }
  return { ok: true, settings }
}

function readAddress(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !isLdapUrl(text) || !namesHost(url) || !['', '/'].includes(url.pathname)) return null
  return url.username + url.password + url.search + url.hash === '' && !/[?#@]/.test(text) ? url : null
}

function filterMistakes(settings: z.output<typeof LdapStoreEnvironment>): SettingMistake[] {
  const { LDAP_USER_FILTER, LDAP_USERNAME_ATTRIBUTE, LDAP_GROUP_FILTER, LDAP_GROUP_BASE } = settings
  const mistakes: SettingMistake[] = []
  const part = nameFilter(LDAP_USERNAME_ATTRIBUTE)
  if (LDAP_USER_FILTER !== undefined && !LDAP_USER_FILTER.toLowerCase().includes(part.toLowerCase())) {
    const message = 'must hold (ATTRIBUTE={username}) for LDAP_USERNAME_ATTRIBUTE, by which a session finds its viewer'
    mistakes.push({ setting: 'LDAP_USER_FILTER', message })
  }
  for (const [setting, filter, known] of [
    ['LDAP_USER_FILTER', LDAP_USER_FILTER, '{username}'],
    ['LDAP_GROUP_FILTER', LDAP_GROUP_FILTER, '{dn}'],
  ] as const) {
    if (filter === undefined || isFilledInValues(filter, known)) continue
    mistakes.push({ setting, message: `must have ${known} behind a "=", and no other braces` })
  }
  if (LDAP_GROUP_FILTER !== undefined && LDAP_GROUP_BASE === undefined) {
    mistakes.push({ setting: 'LDAP_GROUP_FILTER', message: 'needs LDAP_GROUP_BASE: where the groups are' })
  }
  if (LDAP_GROUP_FILTER !== undefined && !LDAP_GROUP_FILTER.includes('{dn}')) {
    const message = "must hold {dn}, which stands for the viewer's name in the directory"
    mistakes.push({ setting: 'LDAP_GROUP_FILTER', message })
  }
  return mistakes
}

function nameFilter(attribute: string): string {
  return `(${attribute}={username})`
}

/** What stands elsewhere could name an attribute of a viewer's choice, and is no filter for most names. */
function isFilledInValues(filter: string, known: string): boolean {
  const inValues = filter.replaceAll(/=[^()]*/g, (value) => value.replaceAll(known, ''))
  return !/[{}]/.test(inValues)
}

/** Whether the parentheses of a filter fit; what is between them is the library's to judge, when the store is opened. */
function isBalanced(filter: string): boolean {
  let depth = 0
  for (let index = 0; index < filter.length; index += 1) {
    if (filter[index] === '(') depth += 1
    if (filter[index] === ')') depth -= 1
    if (depth < 0 || (depth === 0 && index < filter.length - 1)) return false
  }
  return depth === 0 && filter !== ''
}

/** Null where an item is not of the form. */
function readAttributes(text: string): LdapStoreSettings['attributes'] | null {
  const items = text.split(/[\s,]+/).filter((item) => item !== '')
  const pairs = items.map((item) => {
    const [name = '', attribute = '', ...rest] = item.split('=')
    const isUsable = rest.length === 0 && ATTRIBUTE.test(attribute) && faultInAttributeName(name) === null
    return isUsable ? { name: name.normalize('NFC'), attribute } : null
  })
  const usable = pairs.filter((pair) => pair !== null)
  const hasAll = usable.length === items.length && new Set(usable.map(({ name }) => name)).size === items.length
  return hasAll ? usable : null
}
