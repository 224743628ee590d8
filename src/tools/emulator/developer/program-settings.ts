import type { Seed } from '../seed/seed.ts'

/** Names and values of environment variables. */
export type ProgramSettings = Readonly<Record<string, string>>

/**
 * Returns the settings with which the login app and its command line work with this emulator.
 * @param publicUrl address of the emulator, without a slash at the end.
 * @param companions add their settings.
 */
export function programSettings(
  publicUrl: string,
  { clients }: Pick<Seed, 'clients'>,
  companions: readonly { readonly settings: ProgramSettings }[] = [],
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
    ...Object.assign({}, ...companions.map(({ settings }) => settings)),
  }
}

/** Formats one line per setting, for a shell and for a `.env` file. */
export function linesOf(settings: ProgramSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${/^[\w.:/,@%+-]*$/.test(value) ? value : `'${value}'`}\n`)
    .join('')
}
