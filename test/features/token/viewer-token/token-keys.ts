import { createPublicKey } from 'node:crypto'
import type { TokenKeys } from '../../../../src/features/token/viewer-token/viewer-token.ts'
import { CONTENT_KEY, KID, SERVICE_KEY } from './jwcrypto-vectors.ts'

export const BUILD_KEYS: TokenKeys = {
  contentKey: CONTENT_KEY,
  serviceKey: { kid: KID, publicKey: createPublicKey(SERVICE_KEY) },
}
export const CHECK_KEYS = {
  serviceKeys: [{ kid: KID, privateKey: SERVICE_KEY }],
  contentKey: createPublicKey(CONTENT_KEY),
}
