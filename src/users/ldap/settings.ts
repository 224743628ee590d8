import { z } from 'zod'
import {
  type Environment,
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
  /** `ldap://HOST` or `ldaps://HOST`, with `:PORT` unless it is the default. */
  readonly url: string
  /** True if an `ldap:` connection is encrypted with StartTLS before anything else is sent. */
  readonly startTls: boolean
  /** In PEM; null for the CAs that Node trusts. */
  readonly ca: string | null
  /** The service account, which searches. It needs read access only. */
  readonly bindDn: string
  readonly bindPassword: string
  readonly searchBase: string
  /** `{username}` stands for the escaped user name. */
  readonly userFilter: string
  /** The attribute that holds the user name. */
  readonly usernameAttribute: string
  /** The viewer's attributes, and the attribute of the directory for each. */
  readonly attributes: ReadonlyArray<{ readonly name: string; readonly attribute: string }>
  /** A domain that viewers may type before their names: `EXAMPLE\ada`. Null for none. */
  readonly domain: string | null
  /** A search for groups; `{dn}` stands for the viewer's DN. Null to read `memberOf` instead. */
  readonly groups: { readonly base: string; readonly filter: string } | null
  /** For one sign-in or look-up, including the wait in the queue. */
  readonly timeoutMs: number
}

const FORM = 'must be ldaps://HOST or ldap://HOST, with an optional port and nothing after it'
const NO_TLS =
  'can be off only if both USER_STORE_URL and PUBLIC_URL are on localhost, 127.0.0.1 or [::1]: passwords would be sent ' +
  'as plaintext'
const NOT_BALANCED = 'must be a filter in parentheses, such as (uid={username})'
const ACCOUNT = 'must be a DN or a name such as cn=reader,dc=example,dc=com, reader@example.com or EXAMPLE\\reader'
const BASE = 'must be a DN, such as ou=people,dc=example,dc=com'
/** `dn` is the name of an entry, not an attribute. */
const ATTRIBUTE = /^(?!dn$)[a-z][a-z0-9-]*$/i
const ATTRIBUTES = 'must list name=attribute, as in department=departmentNumber'

/** The settings besides USER_STORE_URL. */
export const LdapStoreEnvironment = z.object({
  LDAP_START_TLS: z.enum(['on', 'off'], 'must be on or off').default('on'),
  LDAP_CA_FILE: CertificatesFile.optional(),
  // ldapts reads other texts, such as EXTERNAL, as SASL mechanisms.
  LDAP_BIND_DN: z
    .string('is required: the DN of the service account that searches the directory')
    .regex(/[=@\\]/, ACCOUNT),
  LDAP_BIND_PASSWORD: z.string('is required: the password of the service account').meta({ isSecret: true }),
  LDAP_SEARCH_BASE: z
    .string('is required: the DN above all viewers, such as ou=people,dc=example,dc=com')
    .regex(/=/, BASE),
  LDAP_USERNAME_ATTRIBUTE: z.string().regex(ATTRIBUTE, 'must be the name of an attribute, such as uid').default('uid'),
  LDAP_USER_FILTER: z.string().refine(isBalanced, NOT_BALANCED).optional().meta({
    protects: 'without it, every account below the search base may watch',
  }),
  LDAP_ATTRIBUTES: z
    .string()
    .default('')
    .transform((text, context) => {
      const attributes = readAttributes(text)
      if (attributes !== null) return attributes
      context.addIssue({ code: 'custom', message: ATTRIBUTES })
      return z.NEVER
    }),
  LDAP_GROUP_BASE: z.string().regex(/=/, BASE).optional().meta({
    protects: 'without it, groups from elsewhere in the directory count',
  }),
  LDAP_GROUP_FILTER: z
    .string()
    .refine(isBalanced, 'must be a filter in parentheses, such as (member={dn})')
    .optional()
    .meta({ protects: 'without it, more groups count' }),
  LDAP_DOMAIN: z
    .string()
    .regex(/^[^\\/@\s]{1,64}$/, 'must be the name of a domain without "\\", such as EXAMPLE')
    .optional(),
  LDAP_TIMEOUT_SECONDS: wholeNumber(1, 60).default(5),
})

/** True if this value of USER_STORE_URL is an address of a directory. */
export function isLdapUrl(url: string): boolean {
  return /^ldaps?:/i.test(url)
}

/** Reads the settings of the store, or lists all mistakes by the names of the settings. No message repeats a value. */
export function readLdapStoreSettings(url: string, environment: Environment): ReadSettings<LdapStoreSettings> {
  const parsed = LdapStoreEnvironment.safeParse(environment)
  const mistakes: SettingMistake[] = parsed.success ? [] : mistakesOf(parsed.error)
  const address = readAddress(url)
  if (address === null) mistakes.push({ setting: 'USER_STORE_URL', message: FORM })
  const allowsPlaintext = address !== null && isLoopbackHost(address.hostname) && isOnLaptop(environment.PUBLIC_URL)
  if (address?.protocol === 'ldap:' && environment.LDAP_START_TLS === 'off' && !allowsPlaintext) {
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
    domain: data.LDAP_DOMAIN ?? null,
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
    const message = 'must contain (ATTRIBUTE={username}) with the attribute of LDAP_USERNAME_ATTRIBUTE'
    mistakes.push({ setting: 'LDAP_USER_FILTER', message })
  }
  for (const [setting, filter, placeholder] of [
    ['LDAP_USER_FILTER', LDAP_USER_FILTER, '{username}'],
    ['LDAP_GROUP_FILTER', LDAP_GROUP_FILTER, '{dn}'],
  ] as const) {
    if (filter === undefined || isFilledInValues(filter, placeholder)) continue
    mistakes.push({ setting, message: `must contain ${placeholder} after a "=", and no other braces` })
  }
  if (LDAP_GROUP_FILTER !== undefined && LDAP_GROUP_BASE === undefined) {
    mistakes.push({ setting: 'LDAP_GROUP_FILTER', message: 'needs LDAP_GROUP_BASE: the DN above all groups' })
  }
  if (LDAP_GROUP_FILTER !== undefined && !LDAP_GROUP_FILTER.includes('{dn}')) {
    const message = "must contain {dn}, which stands for the viewer's DN"
    mistakes.push({ setting: 'LDAP_GROUP_FILTER', message })
  }
  return mistakes
}

function nameFilter(attribute: string): string {
  return `(${attribute}={username})`
}

/** True if the placeholder is only in values. Elsewhere, a user name could choose the attribute. */
function isFilledInValues(filter: string, placeholder: string): boolean {
  const rest = filter.replaceAll(/=[^()]*/g, (value) => value.replaceAll(placeholder, ''))
  return !/[{}]/.test(rest)
}

/** True if the parentheses match. ldapts checks the rest when the store is opened. */
function isBalanced(filter: string): boolean {
  let depth = 0
  for (let index = 0; index < filter.length; index += 1) {
    if (filter[index] === '(') depth += 1
    if (filter[index] === ')') depth -= 1
    if (depth < 0 || (depth === 0 && index < filter.length - 1)) return false
  }
  return depth === 0 && filter !== ''
}

/** Parses LDAP_ATTRIBUTES. Null if an item is not NAME=ATTRIBUTE, or a name is used twice. */
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
