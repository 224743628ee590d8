import { z } from 'zod'
import { fail, listField, OnOff, splitList, wholeNumber } from '../../../settings/fields.ts'
import { ClientKeyFile } from './client-key.ts'
import type { SsoSettings } from './sso-settings.ts'

const MOST_ATTRIBUTES = 20
const LONGEST_SESSION_SECONDS = 30 * 86_400
const WITHOUT_EXPIRY_SECONDS = 3600
const DEFAULTS: Readonly<Record<string, unknown>> & {
  readonly oidcScopes: string
  readonly oidcUsernameClaim: string
  readonly oidcGroupsClaim: string
} = {
  oidcScopes: 'openid profile email',
  oidcUsernameClaim: 'preferred_username',
  oidcGroupsClaim: 'groups',
  ssoOnly: false,
  ssoCode: false,
}
const DISCOVERY_PATH = '/.well-known/openid-configuration'
/** Issuers of Entra ID that stand for every organisation. */
const ANY_TENANT = /^https:\/\/login\.microsoftonline\.[a-z]+\/(common|organizations)\b/

/** One line of text, without characters that change how the text around it is read. */
const Line = z
  .string('must be text')
  .trim()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u, 'must be one line without control characters')
const Label = Line.max(40, 'must have at most 40 characters')
const ClaimName = z.string('must be text').regex(/^[\x21-\x7e]{1,128}$/, 'must be the name of a claim')
const Scopes = z
  .string('must be text')
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes with one space between them')
  .refine((text) => text.split(' ').includes('openid'), 'must contain openid')
const SessionSeconds = wholeNumber(60, LONGEST_SESSION_SECONDS)
const Tenants = listField('must name at least one organisation', (item): string => item)

/** `name=claim` items, comma-separated. */
const Attributes = z.string().transform((text, context): { name: string; claim: string }[] => {
  const items = splitList(text)
  if (items.length === 0 || items.length > MOST_ATTRIBUTES) {
    return fail(context, `must list 1 to ${MOST_ATTRIBUTES} attributes, as in seat=employee_id`)
  }
  const attributes = items.flatMap((item, index) => {
    const [, name = '', claim = ''] = /^([A-Za-z0-9_.-]{1,64})=([\x21-\x7e]{1,128})$/.exec(item) ?? []
    const isReserved = ['username', '__proto__', 'constructor', 'prototype'].includes(name)
    if (name !== '' && !isReserved) return [{ name, claim }]
    return fail(
      context,
      isReserved ? `: the name in item ${index + 1} is reserved` : `: item ${index + 1} must be name=claim`,
    )
  })
  const names = new Set(attributes.map(({ name }) => name))
  return names.size === attributes.length ? attributes : fail(context, 'names an attribute twice')
})

/**
 * Builds the field for the address of the provider.
 * @param assertScheme throws RangeError for plain http where it is not accepted.
 */
export function issuerField(assertScheme: (text: string) => void) {
  return z.string('must be text').transform((text, context): string => {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url === null || !/^https?:$/.test(url.protocol) || /[\s\p{C}]/u.test(text)) {
      return fail(context, 'must be an https address, such as https://login.example.com')
    }
    if (text.endsWith(DISCOVERY_PATH)) return fail(context, `must not contain ${DISCOVERY_PATH}: leave it out`)
    if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
      return fail(context, 'must not contain a query, a fragment or a user name')
    }
    try {
      assertScheme(text)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return fail(context, error.message)
    }
    return text
  })
}

type Issuer = ReturnType<typeof issuerField>

/** Builds the fields of single sign-on, by their names in the file of entry points. All may be missing. */
function ssoFields(issuer: Issuer) {
  return {
    oidcIssuer: issuer.optional(),
    oidcClientId: Line.optional(),
    oidcClientSecret: Line.optional(),
    oidcClientKeyFile: ClientKeyFile.optional(),
    oidcScopes: Scopes.optional(),
    oidcLabel: Label.optional(),
    oidcUsernameClaim: ClaimName.optional(),
    oidcGroupsClaim: ClaimName.optional(),
    oidcAttributes: Attributes.optional(),
    oidcTenants: Tenants.optional(),
    ssoOnly: OnOff.optional(),
    ssoSessionSeconds: SessionSeconds.optional(),
    ssoCode: OnOff.optional(),
  }
}

type SsoFields = ReturnType<typeof ssoFields>
type FieldName = keyof SsoFields
export type GivenSso = { readonly [Name in FieldName]?: z.output<SsoFields[Name]> } & {
  readonly oidcClientSecretFile?: string | undefined
}

/** Builds the fields for the environment. */
export function ssoEnvironment(issuer: Issuer): Record<string, z.ZodType> {
  const entries = Object.entries(ssoFields(issuer)).map(([name, field]) => [settingName(name), field] as const)
  return Object.fromEntries(entries)
}

/**
 * Builds the fields for an entry of the file.
 * @param list turns a field of one text into one of an array.
 * @param secretFile reads the path of a file.
 */
export function ssoFileFields(
  issuer: Issuer,
  list: <T>(field: z.ZodType<T, string>) => z.ZodType<T>,
  secretFile: z.ZodType<string, string>,
) {
  const seconds = `must be a whole number from 60 to ${LONGEST_SESSION_SECONDS}`
  return {
    ...ssoFields(issuer),
    oidcClientSecretFile: secretFile.pipe(Line).optional(),
    oidcAttributes: list(Attributes).optional(),
    oidcTenants: list(Tenants).optional(),
    ssoSessionSeconds: z.number(seconds).int(seconds).transform(String).pipe(SessionSeconds).optional(),
  }
}

/** Builds the settings from parsed settings of the environment. */
export function ssoOfEnvironment(
  settings: Readonly<Record<string, unknown>>,
  lifetimeSeconds: number,
  context: z.RefinementCtx,
): SsoSettings | null {
  const names = Object.keys(ssoFields(z.any() as never))
  const given = Object.fromEntries(names.map((name) => [name, settings[settingName(name)]]))
  return ssoOf(given as GivenSso, lifetimeSeconds, context, settingName)
}

/**
 * Builds the settings from parsed fields. Null without an issuer. Refuses fields that need another one.
 * @param lifetimeSeconds of a response; 0 for one that never expires.
 */
export function ssoOf(
  given: GivenSso,
  lifetimeSeconds: number,
  context: z.RefinementCtx,
  nameOf: (field: string) => string = (field) => field,
): SsoSettings | null {
  const refuse = (field: FieldName, message: string) =>
    void context.addIssue({ code: 'custom', path: [nameOf(field)], message })
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientKeyFile: key } = given
  const secret = given.oidcClientSecret ?? given.oidcClientSecretFile
  if (issuer === undefined) {
    const names = Object.keys(ssoFields(z.any() as never)) as FieldName[]
    const isMeant = (name: FieldName) => given[name] !== undefined && given[name] !== DEFAULTS[name]
    for (const name of names.filter(isMeant)) refuse(name, `needs ${nameOf('oidcIssuer')}`)
    return null
  }
  if (clientId === undefined) refuse('oidcClientId', 'is required: the client id that the provider gave this app')
  const needsOne = `is required, or ${nameOf('oidcClientKeyFile')}: it authenticates this app at the provider`
  if (secret === undefined && key === undefined) refuse('oidcClientSecret', needsOne)
  const ways = [given.oidcClientSecret, given.oidcClientSecretFile, key].filter((way) => way !== undefined)
  if (ways.length > 1) refuse('oidcClientSecret', 'is set in two ways: keep one of secret, file of the secret and key')
  if (ANY_TENANT.test(issuer) && given.oidcTenants === undefined) {
    refuse('oidcTenants', 'is required with this issuer, which signs in people of every organisation')
  }
  return {
    issuer,
    clientId: clientId ?? '',
    authentication: key ?? { kind: 'secret', secret: secret ?? '' },
    scopes: given.oidcScopes ?? DEFAULTS.oidcScopes,
    label: given.oidcLabel ?? new URL(issuer).hostname,
    usernameClaim: given.oidcUsernameClaim ?? DEFAULTS.oidcUsernameClaim,
    groupsClaim: given.oidcGroupsClaim ?? DEFAULTS.oidcGroupsClaim,
    attributes: given.oidcAttributes ?? [],
    tenants: given.oidcTenants ?? null,
    isOnly: given.ssoOnly ?? false,
    hasCode: given.ssoCode ?? false,
    sessionSeconds: given.ssoSessionSeconds ?? (lifetimeSeconds === 0 ? WITHOUT_EXPIRY_SECONDS : lifetimeSeconds),
  }
}

/** `OIDC_CLIENT_ID` of `oidcClientId`. */
function settingName(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()
}
