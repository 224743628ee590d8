import { UNBRANDED } from '../../src/brand/brand.ts'
import type { HashEntryPoint } from '../../src/entry-points/entry-point.ts'
import { parseAllowedConsumer, parsePlayerAddress } from '../../src/hash-lock/return-address.ts'

export const SECRET = 'HASHSECRETMARKER-4f0c1d7e9a'
export const PLAYER = 'https://player.example'
export const CONSUMER = 'https://chat.example/customer/'

/** What an entry point has of each feature while it uses none. A feature's own folder says what it has with it. */
export const FEATURES_OFF = { viewerAuth: 'hash', hasPasswordForm: true, features: {} } as const

/** The entry point of nearly all tests: at `/`, with the hash, for every viewer. */
export const ENTRY_POINT: HashEntryPoint = {
  name: 'default',
  basePath: '',
  secret: SECRET,
  previousSecret: null,
  secretFiles: null,
  parameters: [{ name: 'user', attribute: 'username' }],
  lifetimeSeconds: 3600,
  playerAddress: parsePlayerAddress(`${PLAYER}/embed/hashlock/pass?keep=a%20b`),
  playerOrigins: [PLAYER, 'https://customer.example'],
  consumers: [parseAllowedConsumer(CONSUMER)],
  allowedGroups: null,
  hasScript: true,
  brand: UNBRANDED,
  ...FEATURES_OFF,
}

/** A named entry point. */
export function entryPointAt(name: string, changes: Partial<HashEntryPoint> = {}): HashEntryPoint {
  return { ...ENTRY_POINT, name, basePath: `/e/${name}`, ...changes }
}
