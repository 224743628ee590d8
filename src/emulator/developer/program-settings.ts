import type { Seed } from '../seed.ts'

/** Name and value, for the environment or a file `.env`. */
export type ProgramSettings = Readonly<Record<string, string>>

/**
 * What the login app and its command line have to be told, so that they work with this emulator.
 * @param publicUrl of the emulator, without a slash at the end.
 */
export function programSettings(publicUrl: string, { clients }: Pick<Seed, 'clients'>): ProgramSettings {
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
  }
}

/** A line each, as both a shell and a file `.env` have them. */
export function linesOf(settings: ProgramSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${/^[\w.:/,@%+-]*$/.test(value) ? value : `'${value}'`}\n`)
    .join('')
}
