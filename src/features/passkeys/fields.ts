import { isIP } from 'node:net'
import type { AddressRules, FeatureSettings } from '../../entry-points/feature-settings.ts'
import { OnOff } from '../../settings/fields.ts'

function settings({ publicUrl }: AddressRules) {
  // The host of PUBLIC_URL is the relying party id, which must be a domain (WebAuthn Level 3, 5.1.3).
  const isDomain = publicUrl === null || isIP(publicUrl.hostname.replace(/^\[|\]$/g, '')) === 0
  const passkeys = OnOff.refine(
    (isOn) => !isOn || isDomain,
    'needs a host name in PUBLIC_URL, because browsers keep no passkeys for IP addresses; on a laptop, use localhost',
  )
  return { passkeys: passkeys.default(false) }
}

/** The setting of passkeys at an entry point: on or off. */
export const passkeyFields = {
  name: 'passkeys',
  settings,
  read: ({ passkeys }) => (passkeys ? {} : null),
  isWayIn: () => true,
  // Viewers create a passkey after typing the password.
  passwordNeededBy: () => 'passkeys',
} satisfies FeatureSettings<ReturnType<typeof settings>, object>
