import type { Config } from '../../../config.ts'
import type { Feature, OpenFeature, Services } from '../../../login/feature.ts'
import { accessCodesPreview } from '../../features/access-codes/preview/access-codes-preview.ts'
import { accountPreview } from '../../features/account/preview/account-preview.ts'
import { mailSignInPreview } from '../../features/mail-sign-in/preview/mail-sign-in-preview.ts'
import { passkeysPreview } from '../../features/passkeys/preview/passkeys-preview.ts'
import { registrationPreview } from '../../features/registration/preview/registration-preview.ts'
import { ssoPreview } from '../../features/sso/preview/sso-preview.ts'
import { tokenPreview } from '../../features/token/preview/token-preview.ts'
import type { FeaturePreview } from './screen.ts'

/** In the order of the page. */
export const FEATURE_PREVIEWS: readonly FeaturePreview[] = [
  ssoPreview, //
  passkeysPreview,
  accessCodesPreview,
  mailSignInPreview,
  registrationPreview,
  accountPreview,
  tokenPreview,
]

/**
 * Returns a feature that opens without a server. It has nothing to do if it has no preview.
 * @param onOpen called with the name of a feature that has something to do.
 */
export function withoutServers(feature: Feature, config: Config, onOpen: (name: string) => void): Feature {
  const preview = FEATURE_PREVIEWS.find(({ name }) => name === feature.name)
  const open = (services: Services, _entryPoints: unknown, shared: unknown): Promise<OpenFeature | null> => {
    const opened = preview?.open(services, config, shared) ?? null
    if (opened !== null) onOpen(feature.name)
    return Promise.resolve(opened)
  }
  return { ...feature, open }
}
