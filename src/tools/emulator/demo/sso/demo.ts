import { TEST_PEOPLE } from '../../sso/people.ts'
import { isProviderInstalled, PROVIDER_MISSING } from '../../sso/start-provider.ts'
import type { RunningEmulator } from '../../start-emulator.ts'
import { channelPage, channelWithLock, type MakeDemoFeature } from '../demo-feature.ts'

const EVENT = { name: 'company', id: '1100', title: 'Company meeting' }
const ORDER = 2
const TITLE = 'Single sign-on'

/** An entry point with single sign-on, if the emulator has a provider. */
export const demo: MakeDemoFeature = (loginUrl) => {
  if (!isProviderInstalled()) {
    const text = `The demo runs without single sign-on. ${PROVIDER_MISSING}`
    return { order: ORDER, hint: () => ({ title: TITLE, text }) }
  }
  return {
    order: ORDER,
    ...channelWithLock(loginUrl, EVENT, (emulator) => {
      const provider = providerOf(emulator)
      return {
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
    }),
    hint: (emulator) => ({
      title: TITLE,
      text: `Choose ${TEST_PEOPLE[0]?.name} at the identity provider (not in Safari). After “Sign out at the provider” below, the player asks again within five minutes.`,
      page: channelPage(emulator, EVENT.id),
    }),
  }
}

function providerOf({ companions }: RunningEmulator) {
  return companions.map(({ settings }) => settings).find(({ OIDC_ISSUER }) => OIDC_ISSUER !== undefined)
}
