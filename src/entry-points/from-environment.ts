import { z } from 'zod'
import { brandEnvironment, brandOfEnvironment } from '../brand/fields.ts'
import { OnOff, required, wholeNumber } from '../settings/fields.ts'
import { SECRET_MISSING, Secret } from '../settings/secret.ts'
import { ssoEnvironment, ssoOfEnvironment } from '../sso/settings/fields.ts'
import type { EntryPoint, SecretFiles } from './entry-point.ts'
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

/** Builds the schema of the entry point at `/`, for settings without ENTRY_POINTS_FILE. */
export function entryPointEnvironment(addresses: AddressFields, secretFiles: SecretFiles | null) {
  return z.object(fieldsOf(addresses)).transform((settings, context): EntryPoint => {
    const sso = ssoOfEnvironment(settings, settings.HASH_LIFETIME_SECONDS, context)
    return {
      name: 'default',
      basePath: '',
      secret: settings.HASH_SECRET,
      previousSecret: settings.HASH_SECRET_PREVIOUS ?? null,
      secretFiles,
      parameters: settings.HASH_PARAMETERS,
      lifetimeSeconds: settings.HASH_LIFETIME_SECONDS,
      playerAddress: settings.PLAYER_RETURN_URL,
      playerOrigins: settings.PLAYER_ORIGINS,
      consumers: settings.HASH_CONSUMERS,
      allowedGroups: settings.ALLOWED_GROUPS ?? null,
      returningViewers: settings.RETURNING_VIEWERS,
      hasScript: settings.SCREEN_SCRIPT,
      brand: brandOfEnvironment(settings, context),
      sso,
      hasPasskeys: checkedPasskeys(settings.PASSKEYS, sso, context, ['PASSKEYS', 'SSO_ONLY']),
    }
  })
}

function fieldsOf(addresses: AddressFields) {
  return {
    HASH_SECRET: required(Secret, SECRET_MISSING),
    HASH_SECRET_PREVIOUS: Secret.optional(),
    HASH_PARAMETERS: HashParameters.default([...DEFAULT_PARAMETERS]),
    HASH_LIFETIME_SECONDS: wholeNumber(0, LONGEST_LIFETIME_SECONDS).default(DEFAULT_LIFETIME_SECONDS),
    PLAYER_RETURN_URL: required(addresses.playerAddress, RETURN_URL_MISSING),
    PLAYER_ORIGINS: required(addresses.playerOrigins, ORIGINS_MISSING),
    HASH_CONSUMERS: addresses.consumers.default([]),
    ALLOWED_GROUPS: AllowedGroups.optional(),
    SCREEN_SCRIPT: OnOff.default(true),
    RETURNING_VIEWERS: ReturningViewers.default('continue'),
    ...brandEnvironment(addresses.link),
    ...ssoEnvironment(addresses.issuer),
    PASSKEYS: addresses.passkeys.default(false),
  }
}

/** The names of these settings. */
export const ENTRY_POINT_SETTINGS: readonly string[] = Object.keys(fieldsOf(addressFields(null)))
