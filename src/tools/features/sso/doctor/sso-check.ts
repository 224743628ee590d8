import { ssoOf } from '../../../../features/sso/settings/sso-settings.ts'
import type { FeatureCheck } from '../../../cli/doctor/feature-check.ts'
import { unknown } from '../../../cli/doctor/finding.ts'

export const ssoCheck: FeatureCheck = {
  async *check(config, isAppThere, signal) {
    if (!isAppThere || config.entryPoints.every((entryPoint) => ssoOf(entryPoint) === null)) return []
    // Loaded late, because most installations do not need the library.
    const { checkSso } = await import('./check-sso.ts')
    const withoutFailure = yield* checkSso(config, signal)
    return withoutFailure.map((entryPoint) => {
      const text = `No sign-in at ${entryPoint.sso.label} was tried. Sign in once in the player: this also shows the claims of a viewer.`
      return { entryPoint, finding: unknown('sso-not-tried', text) }
    })
  },
  away: ['OIDC_ISSUER'],
  forms: { isAt: (entryPoint) => ssoOf(entryPoint) !== null, paths: ['/sso/continue'] },
  window: { name: 'single sign-on', isOpenedBy: (entryPoint) => ssoOf(entryPoint) !== null },
}
