import type { TokenEntryPoint, TokenSettings } from '../../../src/features/token/fields.ts'
import { parseAllowedAddress } from '../../../src/hash-lock/return-address.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { BUILD_KEYS } from './viewer-token/token-keys.ts'

const { secret, previousSecret, secretFiles, lifetimeSeconds, playerAddress, consumers, ...common } = ENTRY_POINT

const SETTINGS: TokenSettings = {
  contentKey: BUILD_KEYS.contentKey,
  serviceKeyUrl: 'https://api.example/viewer-auth-public-key.json',
  refAddresses: [parseAllowedAddress('https://player.example/embed/')],
  parameters: [{ name: 'sub', attribute: 'username' }],
}

/** Returns the entry point at `/` that answers with tokens. */
export function tokenEntryPoint(changes: Partial<TokenSettings> = {}): TokenEntryPoint {
  const settings = { ...SETTINGS, ...changes }
  return { ...common, viewerAuth: 'token', ...settings, features: { token: settings } }
}

export const TOKEN_ENTRY_POINT = tokenEntryPoint()
