import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { randomKey } from '../seed/default-seed.ts'

const KEY_BITS = 2048

/** The address of each entry point that locks content, and what it shares with the service. */
export interface DemoLocks {
  /** Of the seeded locks. */
  readonly lock: { readonly url: string; readonly secret: string }
  /** Single sign-on. */
  readonly companyLock: { readonly url: string; readonly secret: string }
  /** The second version of viewer authentication: the public half of the key, in PEM form. */
  readonly tokenLock: { readonly authUrl: string; readonly publicKey: string }
  /** The private half, in PEM form. */
  readonly contentKey: string
}

/**
 * Makes the locks of the demo. At each start the emulator gets the new secret and key.
 * @param loginUrl address of the login app, without a slash at the end.
 * @param hashSecret kept from start to start.
 */
export async function createLocks(loginUrl: string, hashSecret: string): Promise<DemoLocks> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return {
    lock: { url: `${loginUrl}/`, secret: hashSecret },
    companyLock: { url: `${loginUrl}/e/company`, secret: randomKey() },
    tokenLock: { authUrl: `${loginUrl}/e/tokens`, publicKey },
    contentKey: privateKey,
  }
}
