import { styleText } from 'node:util'
import { randomKey } from '../../seed/default-seed.ts'
import { TEST_PEOPLE } from '../../sso/people.ts'
import { isProviderInstalled, PROVIDER_MISSING } from '../../sso/start-provider.ts'
import type { RunningEmulator } from '../../start-emulator.ts'
import type { MakeDemoFeature } from '../demo-feature.ts'

/** An entry point with single sign-on, if the emulator has a provider. */
export const ssoDemo: MakeDemoFeature = (loginUrl) => {
  if (!isProviderInstalled()) {
    return { introduction: () => [`The demo runs without single sign-on. ${PROVIDER_MISSING}`] }
  }
  const lock = { url: `${loginUrl}/e/company`, secret: randomKey() }
  const channel = { id: '1100', title: 'Company meeting', lock }
  return {
    channel,
    entryPoint(emulator, { hash, brand }) {
      const provider = providerOf(emulator)
      return {
        name: 'company',
        secret: lock.secret,
        ...hash,
        ...brand,
        oidcIssuer: provider?.OIDC_ISSUER,
        oidcClientId: provider?.OIDC_CLIENT_ID,
        oidcClientSecret: provider?.OIDC_CLIENT_SECRET,
        oidcLabel: 'Lakeside Media',
        ssoOnly: 'on',
        allowedGroups: ['staff'],
        // The player asks often, so that a logout at the provider shows soon.
        hashLifetimeSeconds: 300,
        ssoSessionSeconds: 3_600,
      }
    },
    introduction: ({ emulator, pageOrigin }) => [
      `For single sign-on, open this page (not in Safari) and choose ${TEST_PEOPLE[0]?.name} at the identity provider:`,
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channel.id}`)}`,
      `To log out at the provider, so that the player asks again within five minutes: ${providerOf(emulator)?.OIDC_ISSUER}/session/end`,
    ],
  }
}

function providerOf({ companions }: RunningEmulator) {
  return companions.map(({ settings }) => settings).find(({ OIDC_ISSUER }) => OIDC_ISSUER !== undefined)
}
