import { CLIENT } from '../../../../features/sso/start-provider.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault } from '../faults/installation.ts'
import { twoEntryPoints } from '../faults/two-entry-points.ts'
import { NOT_TRIED, withProvider } from './provider.ts'

/** Only gold has single sign-on. */
const goldWithSso = (ssoOnly: 'on' | 'off' = 'off'): Pick<Fault, 'settings'> => ({
  async settings(all) {
    const sso = await withProvider().settings?.(all)
    const client = { oidcClientId: CLIENT.clientId, oidcClientSecret: CLIENT.secret }
    const oidc = { oidcIssuer: sso?.OIDC_ISSUER, ...client, ssoOnly }
    return (await twoEntryPoints(oidc).settings?.(all)) ?? {}
  },
})

testFaults('two entry points, of which one has single sign-on', [
  {
    name: 'single sign-on works at another entry point than that of the lock',
    ...goldWithSso(),
    afterwards: ({ run }) => run('lock', 'set', '--channel', '1002', '--entry-point', 'silver', '--yes'),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'the entry points have one client, and the second has a wrong secret',
    async settings(all) {
      const sso = await withProvider().settings?.(all)
      const client = { oidcIssuer: sso?.OIDC_ISSUER, oidcClientId: CLIENT.clientId }
      const gold = { ...client, oidcClientSecret: CLIENT.secret }
      return (await twoEntryPoints(gold, { ...client, oidcClientSecret: 'wrong' }).settings?.(all)) ?? {}
    },
    afterwards: ({ run }) => run('lock', 'set', '--channel', '1002', '--entry-point', 'silver', '--yes'),
    findings: ['failure sso-client-refused'],
  },
  {
    name: 'the lock leads to an entry point without passwords, and no viewer is named',
    ...goldWithSso('on'),
    afterwards: async ({ args, run }) => {
      await run('lock', 'set', '--channel', '1002', '--entry-point', 'gold', '--yes')
      args.splice(2, 2)
    },
    findings: [NOT_TRIED, 'failure page-origin-missing'],
  },
])
