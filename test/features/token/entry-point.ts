import type { TokenEntryPoint } from '../../../src/entry-points/entry-point.ts'
import { parseRefAddress } from '../../../src/hash-lock/return-address.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { BUILD_KEYS } from './viewer-token/token-keys.ts'

const { secret, previousSecret, secretFiles, lifetimeSeconds, playerAddress, consumers, ...common } = ENTRY_POINT

/** The entry point at `/` that answers with tokens. */
export const TOKEN_ENTRY_POINT: TokenEntryPoint = {
  ...common,
  viewerAuth: 'token',
  contentKey: BUILD_KEYS.contentKey,
  serviceKeyUrl: 'https://api.example/viewer-auth-public-key.json',
  refAddresses: [parseRefAddress('https://player.example/embed/')],
  parameters: [{ name: 'sub', attribute: 'username' }],
}
