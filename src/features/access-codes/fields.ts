import { z } from 'zod'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { FeatureSettings, ReadContext } from '../../entry-points/feature-settings.ts'
import { OnOff } from '../../settings/fields.ts'
import { Secret } from '../../settings/secret.ts'
import type { SettingValues } from '../../settings/setting.ts'

/** The name of the feature. */
const ACCESS_CODES = 'access-codes'
/** A response that never expires holds a place for this time. */
const PLACE_SECONDS = 3_600
const KEY_MISSING =
  'is required with ACCESS_CODES: the key by which the app knows codes; make one with: npm run -s viewer-auth -- secret generate'

/** Access codes at an entry point. */
export interface AccessCodeSettings {
  readonly asksName: 'off' | 'optional' | 'required'
  /** Codes are stored as a hash with this key. */
  readonly key: string
  /** How long a place is taken: as long as a response. */
  readonly placeSeconds: number
}

function settings() {
  return {
    accessCodes: OnOff.default(false),
    accessCodeName: z.enum(['off', 'optional', 'required'], 'must be off, optional or required').default('off'),
    accessCodeKey: Secret.optional().meta({ isSecret: true }),
  }
}

type Values = SettingValues<ReturnType<typeof settings>>

function read(
  { accessCodes, accessCodeName: asksName, accessCodeKey: key }: Values,
  { refuse, has, nameOf, lifetimeSeconds }: ReadContext,
): AccessCodeSettings | null {
  if (!accessCodes) {
    // Undefined for a wrong value, which was reported before.
    if ((asksName ?? 'off') !== 'off') refuse('accessCodeName', `needs ${nameOf('accessCodes')}`)
    return null
  }
  if (key === undefined && !has('accessCodeKey')) refuse('accessCodeKey', KEY_MISSING)
  return { asksName, key: key ?? '', placeSeconds: lifetimeSeconds || PLACE_SECONDS }
}

/** The settings of access codes at an entry point. */
export const accessCodeFields = {
  name: ACCESS_CODES,
  settings,
  read,
  isWayIn: () => true,
} satisfies FeatureSettings<ReturnType<typeof settings>, AccessCodeSettings>

/** Returns the settings of access codes at an entry point. Null if they are off there. */
export function accessCodesOf({ features }: Pick<EntryPoint, 'features'>): AccessCodeSettings | null {
  return (features[ACCESS_CODES] as AccessCodeSettings | undefined) ?? null
}
