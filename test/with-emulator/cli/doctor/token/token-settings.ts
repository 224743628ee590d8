import { generateKeyPairSync } from 'node:crypto'

type Settings = Readonly<Record<string, string>>

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const CONTENT_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Returns the settings of an entry point with tokens. */
export const tokenSettings = ({ PLAYER_RETURN_URL = '' }: Settings) => {
  const { origin } = new URL(PLAYER_RETURN_URL)
  return {
    VIEWER_AUTH: 'token',
    CONTENT_KEY,
    SERVICE_VIEWER_KEY_URL: `${origin}/viewer-auth-public-key.json`,
    REF_ADDRESSES: `${origin}/embed/`,
    HASH_SECRET: '',
    PLAYER_RETURN_URL: '',
  }
}
