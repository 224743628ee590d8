import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Companion } from '../companion.ts'
import type { Seed } from '../seed/seed.ts'
import type { ProviderClient } from './open-provider.ts'
import { isProviderInstalled, type RunningProvider, startProvider } from './start-provider.ts'

const SECTION = fileURLToPath(new URL('views/section.ejs', import.meta.url))

/** An identity provider for the login app. */
export const companion: Companion = {
  name: 'provider',
  portSetting: 'EMULATOR_PROVIDER_PORT',
  demoPort: 4001,
  isInstalled: isProviderInstalled,
  async start({ port, loginUrl }, { seed, faults, requestLog, onError }) {
    const client = clientAt(loginUrl, seed)
    const record = requestLog.record
    const running = await startProvider({ port, clients: [client], faults, record, onError })
    const { issuer, clients, people } = running
    return {
      introduction: `Its identity provider is ${issuer}`,
      settings: {
        OIDC_ISSUER: issuer,
        OIDC_CLIENT_ID: client.clientId,
        OIDC_CLIENT_SECRET: client.secret,
        OIDC_LABEL: 'Test identity provider',
      },
      seed: { provider: shown(running) },
      section: { view: SECTION, data: { provider: { issuer, clients, people } } },
      close: running.close,
    }
  },
}

/** Returns the login app as a client. Its secret depends on the seed, so that it survives a restart. */
function clientAt(loginUrl: string, { clients }: Seed): ProviderClient & { readonly secret: string } {
  const { origin } = new URL(loginUrl)
  return {
    clientId: 'login-app',
    secret: createHash('sha256').update(`provider ${clients[0]?.client_secret}`).digest('hex'),
    redirectUris: [`${origin}/sso/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    backchannelLogoutUri: `${origin}/sso/logout`,
  }
}

/** Names the fields as the rest of the seed does. */
function shown({ issuer, clients, people }: RunningProvider): object {
  return {
    issuer,
    clients: clients.map(({ clientId, secret, redirectUris }) => ({
      client_id: clientId,
      client_secret: secret,
      redirect_uris: redirectUris,
    })),
    people: people.map(({ username, name, groups, note }) => ({ username, name, groups, note })),
  }
}
