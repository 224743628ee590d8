import { z } from 'zod'
import { LogoFile } from '../../../brand/logo-file.ts'
import type { AddressRules, FeatureSettings, ReadContext } from '../../../entry-points/feature-settings.ts'
import { addressField } from '../../../entry-points/fields.ts'
import { warningsOfSharedKey } from '../../../entry-points/shared-keys.ts'
import { fail, lineField, listField, OnOff, splitList, wholeNumber } from '../../../settings/fields.ts'
import type { SettingValues } from '../../../settings/setting.ts'
import { algorithmsOf, ClientKeyFile, KeyAlgorithmName } from './client-key.ts'
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
/** Issuers of Entra ID that stand for every organization. */
const ANY_TENANT = /^https:\/\/login\.microsoftonline\.[a-z]+\/(common|organizations)\b/

const Line = lineField(255)
const Label = lineField(40)
const ClaimName = z.string('must be text').regex(/^[\x21-\x7e]{1,128}$/, 'must be the name of a claim')
const Scopes = z
  .string('must be text')
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes with one space between them')
  .refine((text) => text.split(' ').includes('openid'), 'must contain openid')
const GOOGLE = 'https://accounts.google.com'
const SessionSeconds = wholeNumber(60, LONGEST_SESSION_SECONDS)
const Tenants = listField('must name at least one organization', (item): string => item)

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

/** Parses the address of the provider. @throws RangeError */
function parseIssuer(text: string, assertScheme: AddressRules['assertScheme']): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || /[\s\p{C}]/u.test(text)) {
    throw new RangeError('must be an https address, such as https://login.example.com')
  }
  if (text.endsWith(DISCOVERY_PATH)) throw new RangeError(`must not contain ${DISCOVERY_PATH}: leave it out`)
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new RangeError('must not contain a query, a fragment or a user name')
  }
  assertScheme(text)
  return text
}

function settings({ assertScheme }: AddressRules) {
  return {
    oidcIssuer: addressField((text) => parseIssuer(text, assertScheme)).optional(),
    oidcClientId: Line.optional(),
    oidcClientSecret: Line.optional().meta({ isSecret: true }),
    oidcClientKeyFile: ClientKeyFile.optional(),
    oidcClientKeyAlgorithm: KeyAlgorithmName.optional(),
    oidcScopes: Scopes.optional(),
    oidcLabel: Label.optional(),
    oidcIconFile: LogoFile.optional(),
    oidcUsernameClaim: ClaimName.optional(),
    oidcGroupsClaim: ClaimName.optional(),
    oidcAttributes: Attributes.optional().meta({ inFile: 'list' }),
    oidcTenants: Tenants.optional().meta({
      inFile: 'list',
      protects: 'without it, people of other organizations may watch',
    }),
    ssoOnly: OnOff.optional(),
    ssoSessionSeconds: SessionSeconds.optional().meta({ inFile: 'number' }),
    ssoCode: OnOff.optional(),
  }
}

type Fields = ReturnType<typeof settings>
type Given = SettingValues<Fields>

/** The settings of single sign-on at an entry point. It is on where OIDC_ISSUER is set. */
export const ssoFields = {
  name: 'sso',
  settings,
  read,
  passwordReplacedBy: ({ isOnly }) => (isOnly ? 'ssoOnly' : null),
  isWayIn: () => true,
  warningsOf({ issuer, tenants, authentication }, entryPoint, run) {
    const setting = 'OIDC_CLIENT_KEY_FILE'
    const key = authentication.kind === 'key' ? authentication.privateKey : null
    const warnings = key ? warningsOfSharedKey(run, { setting, entryPoint, key, mayRepeat: true }) : []
    if (issuer !== GOOGLE || tenants !== null) return warnings
    const anybody = `Entry point ${entryPoint}: everybody with a Google account may sign in; set OIDC_TENANTS to your domain.`
    return [...warnings, anybody]
  },
} satisfies FeatureSettings<Fields, SsoSettings>

/** Builds the settings. Null without an issuer. Refuses fields that need another one. */
function read(given: Given, { has, refuse, nameOf, lifetimeSeconds }: ReadContext): SsoSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: secret, oidcClientKeyFile: key } = given
  const { oidcClientKeyAlgorithm: algorithm } = given
  if (issuer === undefined) {
    // Wrong, which is refused already.
    if (has('oidcIssuer')) return null
    const names = Object.keys(given) as (keyof Given)[]
    const isMeant = (name: keyof Given) => given[name] !== undefined && given[name] !== DEFAULTS[name]
    for (const name of names.filter(isMeant)) refuse(name, `needs ${nameOf('oidcIssuer')}`)
    return null
  }
  if (!has('oidcClientId')) refuse('oidcClientId', 'is required: the client id that the provider gave this app')
  const needsOne = `is required, or ${nameOf('oidcClientKeyFile')}: it authenticates this app at the provider`
  if (!has('oidcClientSecret') && !has('oidcClientKeyFile')) refuse('oidcClientSecret', needsOne)
  if (secret !== undefined && key !== undefined) {
    refuse('oidcClientSecret', `and ${nameOf('oidcClientKeyFile')} are both set: remove one`)
  }
  const isFitting = key ? algorithmsOf(key.privateKey).some((one) => one === algorithm) : has('oidcClientKeyFile')
  if (algorithm !== undefined && !isFitting) {
    refuse('oidcClientKeyAlgorithm', `needs a key for ${algorithm} in ${nameOf('oidcClientKeyFile')}`)
  }
  if (ANY_TENANT.test(issuer) && !has('oidcTenants')) {
    refuse('oidcTenants', 'is required with this issuer, which signs in people of every organization')
  }
  return {
    issuer,
    clientId: clientId ?? '',
    authentication: (key && { ...key, ...(algorithm && { algorithm }) }) ?? { kind: 'secret', secret: secret ?? '' },
    scopes: given.oidcScopes ?? DEFAULTS.oidcScopes,
    label: given.oidcLabel ?? new URL(issuer).hostname,
    ...(given.oidcIconFile && { icon: given.oidcIconFile }),
    usernameClaim: given.oidcUsernameClaim ?? DEFAULTS.oidcUsernameClaim,
    groupsClaim: given.oidcGroupsClaim ?? DEFAULTS.oidcGroupsClaim,
    needsGroups: given.oidcGroupsClaim !== undefined,
    attributes: given.oidcAttributes ?? [],
    tenants: given.oidcTenants ?? null,
    isOnly: given.ssoOnly ?? false,
    hasCode: given.ssoCode ?? false,
    sessionSeconds: given.ssoSessionSeconds ?? (lifetimeSeconds === 0 ? WITHOUT_EXPIRY_SECONDS : lifetimeSeconds),
  }
}
