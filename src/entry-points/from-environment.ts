import { z } from 'zod'
import { brandEnvironment, brandOfEnvironment } from '../brand/fields.ts'
import { ssoEnvironment, ssoOfEnvironment } from '../features/sso/settings/fields.ts'
import {
  CONTENT_KEY_MISSING,
  ContentKey,
  DEFAULT_SUBJECT_ATTRIBUTE,
  KEY_URL_MISSING,
  REF_ADDRESSES_MISSING,
  TokenSubject,
  ViewerAuth,
} from '../features/token/fields.ts'
import { type Environment, OnOff, required, wholeNumber } from '../settings/fields.ts'
import { SECRET_MISSING, Secret } from '../settings/secret.ts'
import type { EntryPoint, HashEntryPoint, TokenEntryPoint } from './entry-point.ts'
import {
  type AddressFields,
  AllowedGroups,
  addressFields,
  checkedPasskeys,
  DEFAULT_LIFETIME_SECONDS,
  DEFAULT_PARAMETERS,
  HashParameters,
  LONGEST_LIFETIME_SECONDS,
  ORIGINS_MISSING,
  RETURN_URL_MISSING,
  ReturningViewers,
} from './fields.ts'

/**
 * Builds the schema of the entry point at `/`, for settings without ENTRY_POINTS_FILE. The settings of the other version
 * of viewer authentication may be missing, but are also checked.
 * @param given the settings that the schema will parse.
 */
export function entryPointEnvironment(addresses: AddressFields, given: Environment): z.ZodType<EntryPoint> {
  return hasTokens(given) ? tokenEnvironment(addresses) : hashEnvironment(addresses, given)
}

/** Returns the fields. Any of them may be missing. */
function optional<T extends z.ZodRawShape>(fields: T) {
  return z.object(fields).partial().shape
}

function hasTokens({ VIEWER_AUTH }: Environment): boolean {
  return VIEWER_AUTH === 'token'
}

function hashEnvironment(addresses: AddressFields, given: Environment) {
  const { HASH_SECRET_FILE: secret, HASH_SECRET_PREVIOUS_FILE: previous } = given
  const secretFiles = secret !== undefined && previous !== undefined ? { secret, previous } : null
  return z
    .object({
      ...hashFields(addresses),
      ...optional(tokenFields(addresses)),
      ...commonFields(addresses),
    })
    .transform(
      (settings, context): HashEntryPoint => ({
        ...commonOf(settings, settings.HASH_LIFETIME_SECONDS, context),
        viewerAuth: 'hash',
        secret: settings.HASH_SECRET,
        previousSecret: settings.HASH_SECRET_PREVIOUS ?? null,
        secretFiles,
        parameters: settings.HASH_PARAMETERS,
        lifetimeSeconds: settings.HASH_LIFETIME_SECONDS,
        playerAddress: settings.PLAYER_RETURN_URL,
        consumers: settings.HASH_CONSUMERS,
      }),
    )
}

function tokenEnvironment(addresses: AddressFields) {
  return z
    .object({
      ...tokenFields(addresses),
      ...optional(hashFields(addresses)),
      ...commonFields(addresses),
    })
    .transform(
      (settings, context): TokenEntryPoint => ({
        ...commonOf(settings, 0, context),
        viewerAuth: 'token',
        contentKey: settings.CONTENT_KEY,
        serviceKeyUrl: settings.SERVICE_VIEWER_KEY_URL,
        refAddresses: settings.REF_ADDRESSES,
        parameters: [{ name: 'sub', attribute: settings.TOKEN_SUBJECT }],
      }),
    )
}

type CommonSettings = z.output<z.ZodObject<ReturnType<typeof commonFields>>>

/** @param lifetimeSeconds of a response; 0 for one that never expires, and for tokens. */
function commonOf(settings: CommonSettings, lifetimeSeconds: number, context: z.RefinementCtx) {
  const sso = ssoOfEnvironment(settings, lifetimeSeconds, context)
  return {
    name: 'default',
    basePath: '',
    playerOrigins: settings.PLAYER_ORIGINS,
    allowedGroups: settings.ALLOWED_GROUPS ?? null,
    returningViewers: settings.RETURNING_VIEWERS,
    hasScript: settings.SCREEN_SCRIPT,
    brand: brandOfEnvironment(settings, context),
    sso,
    hasPasskeys: checkedPasskeys(settings.PASSKEYS, sso, context, ['PASSKEYS', 'SSO_ONLY']),
  }
}

function commonFields(addresses: AddressFields) {
  return {
    PLAYER_ORIGINS: required(addresses.playerOrigins, ORIGINS_MISSING),
    VIEWER_AUTH: ViewerAuth.default('hash'),
    ALLOWED_GROUPS: AllowedGroups.optional(),
    SCREEN_SCRIPT: OnOff.default(true),
    RETURNING_VIEWERS: ReturningViewers.default('continue'),
    ...brandEnvironment(addresses.link),
    ...ssoEnvironment(addresses.issuer),
    PASSKEYS: addresses.passkeys.default(false),
  }
}

function hashFields(addresses: AddressFields) {
  return {
    HASH_SECRET: required(Secret, SECRET_MISSING),
    HASH_SECRET_PREVIOUS: Secret.optional(),
    HASH_PARAMETERS: HashParameters.default([...DEFAULT_PARAMETERS]),
    HASH_LIFETIME_SECONDS: wholeNumber(0, LONGEST_LIFETIME_SECONDS).default(DEFAULT_LIFETIME_SECONDS),
    PLAYER_RETURN_URL: required(addresses.playerAddress, RETURN_URL_MISSING),
    HASH_CONSUMERS: addresses.consumers.default([]),
  }
}

function tokenFields(addresses: AddressFields) {
  return {
    CONTENT_KEY: required(ContentKey, CONTENT_KEY_MISSING),
    SERVICE_VIEWER_KEY_URL: required(addresses.serviceKeyUrl, KEY_URL_MISSING),
    REF_ADDRESSES: required(addresses.refAddresses, REF_ADDRESSES_MISSING),
    TOKEN_SUBJECT: TokenSubject.default(DEFAULT_SUBJECT_ATTRIBUTE),
  }
}

const ADDRESSES = addressFields(null)
const HASH_FIELDS: Readonly<Record<string, z.ZodType>> = hashFields(ADDRESSES)
const TOKEN_FIELDS: Readonly<Record<string, z.ZodType>> = tokenFields(ADDRESSES)

/** The names of these settings. */
export const ENTRY_POINT_SETTINGS: readonly string[] = [
  ...Object.keys({ ...HASH_FIELDS, ...TOKEN_FIELDS, ...commonFields(ADDRESSES) }),
]

/** Warns about required settings of the other version of viewer authentication, which have no effect. */
export function warningsOfUnused(given: Environment): string[] {
  const other = Object.entries(hasTokens(given) ? HASH_FIELDS : TOKEN_FIELDS)
  const unused = other.filter(([name, field]) => given[name] !== undefined && !field.safeParse(undefined).success)
  if (unused.length === 0) return []
  const names = unused.map(([name]) => name).join(', ')
  return [`VIEWER_AUTH is ${hasTokens(given) ? 'token' : 'hash'}, so these settings have no effect: ${names}.`]
}
