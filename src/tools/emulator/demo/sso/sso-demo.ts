import { styleText } from 'node:util'
import { TEST_PEOPLE } from '../../sso/people.ts'
import { PROVIDER_MISSING } from '../../sso/start-provider.ts'
import type { RunningEmulator } from '../../start-emulator.ts'
import type { DemoFeature } from '../demo-feature.ts'

/** An entry point with single sign-on, if the emulator has a provider. */
export const ssoDemo: DemoFeature = {
  entryPoint({ emulator, locks }, { hash, brand }) {
    const provider = providerOf(emulator)
    if (provider === undefined) return null
    return {
      name: 'company',
      secret: locks.companyLock.secret,
      ...hash,
      ...brand,
      oidcIssuer: provider.OIDC_ISSUER,
      oidcClientId: provider.OIDC_CLIENT_ID,
      oidcClientSecret: provider.OIDC_CLIENT_SECRET,
      oidcLabel: 'Lakeside Media',
      ssoOnly: 'on',
      allowedGroups: ['staff'],
      // The player asks often, so that a logout at the provider shows soon.
      hashLifetimeSeconds: 300,
      ssoSessionSeconds: 3_600,
    }
  },
  introduction({ emulator, locks, pageOrigin }) {
    const provider = providerOf(emulator)
    const lock = emulator.seed.locks.find(({ url }) => url === locks.companyLock.url)
    if (provider === undefined || lock === undefined) {
      return [`The demo runs without single sign-on. ${PROVIDER_MISSING}`]
    }
    return [
      `For single sign-on, open this page (not in Safari) and choose ${TEST_PEOPLE[0]?.name} at the identity provider:`,
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${lock.content_id}`)}`,
      `To log out at the provider, so that the player asks again within five minutes: ${provider.OIDC_ISSUER}/session/end`,
    ]
  },
}

function providerOf({ companions }: RunningEmulator) {
  return companions.map(({ settings }) => settings).find(({ OIDC_ISSUER }) => OIDC_ISSUER !== undefined)
}
