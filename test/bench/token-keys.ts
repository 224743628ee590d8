import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseContentKey } from '../../src/features/token/viewer-token/content-key.ts'
import { parseServiceKeys, type ServiceKey } from '../../src/features/token/viewer-token/service-keys.ts'

const CONTENT_KEY_BITS = 2048
/** As in the documentation of the service. */
const SERVICE_KEY_BITS = 4096

/** The keys of viewer tokens in their published forms. */
export interface TokenKeyTexts {
  /** The private key of the channel or video, PEM. */
  readonly contentKey: string
  /** The public keys of the service, a JWK set. */
  readonly serviceKeys: string
}

export function generateTokenKeys(): TokenKeyTexts {
  const content = generateKeyPairSync('rsa', { modulusLength: CONTENT_KEY_BITS })
  const service = generateKeyPairSync('rsa', { modulusLength: SERVICE_KEY_BITS })
  const jwk = { ...service.publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'enc' }
  return {
    contentKey: content.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    serviceKeys: JSON.stringify({ keys: [jwk] }),
  }
}

export function writeTokenKeys(file: string, keys: TokenKeyTexts): void {
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 })
}

export function readTokenKeys(file: string): { readonly contentKey: KeyObject; readonly serviceKey: ServiceKey } {
  const { contentKey, serviceKeys } = JSON.parse(readFileSync(file, 'utf8')) as TokenKeyTexts
  return { contentKey: parseContentKey(contentKey), serviceKey: parseServiceKeys(serviceKeys)[0] }
}
