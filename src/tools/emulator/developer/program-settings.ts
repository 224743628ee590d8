import type { Seed } from '../seed/seed.ts'
import type { ShownProvider } from './developer-deps.ts'

/** Names and values of environment variables. */
export type ProgramSettings = Readonly<Record<string, string>>

/**
 * Returns the settings with which the login app and its command line work with this emulator.
 * @param publicUrl address of the emulator, without a slash at the end.
 * @param provider for single sign-on, if the emulator has one.
 */
export function programSettings(
  publicUrl: string,
  { clients }: Pick<Seed, 'clients'>,
  provider: ShownProvider | null = null,
): ProgramSettings {
  const [client] = clients
  const { port } = new URL(publicUrl)
  return {
    PLAYER_RETURN_URL: `${publicUrl}/embed/hashlock/pass`,
    PLAYER_ORIGINS: [publicUrl, `http://page.localhost:${port}`, `http://localhost:${port}`].join(','),
    HASH_CONSUMERS: `${publicUrl}/chat/authorize/`,
    SERVICE_AUTH_URL: publicUrl,
    SERVICE_OAUTH_URL: publicUrl,
    SERVICE_BASE_URL: publicUrl,
    SERVICE_ANALYTICS_URL: `${publicUrl}/v1`,
    SERVICE_CLIENT_ID: client?.client_id ?? '',
    SERVICE_CLIENT_SECRET: client?.client_secret ?? '',
    ...(provider && {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clients[0]?.clientId ?? '',
      OIDC_CLIENT_SECRET: provider.clients[0]?.secret ?? '',
      OIDC_LABEL: 'Test identity provider',
    }),
  }
}

/** Formats one line per setting, for a shell and for a `.env` file. */
export function linesOf(settings: ProgramSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${/^[\w.:/,@%+-]*$/.test(value) ? value : `'${value}'`}\n`)
    .join('')
}
