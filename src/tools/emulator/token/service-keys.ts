import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { ServicePrivateKey } from '../../../features/token/viewer-token/token-check.ts'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
import type { ServiceFeatureDeps } from '../service-feature.ts'

export type ServiceKeys = ReturnType<typeof openServiceKeys>

const Row = z.object({
  kid: z.string(),
  private_key: z.string(),
  created_at_seconds: z.number(),
  accepted_until_seconds: z.number().nullable(),
})

/** Keeps the key pairs of the service in the database. */
export function openServiceKeys({ database, nowSeconds, keyBits }: Omit<ServiceFeatureDeps, 'publicUrl'>) {
  const select = database.prepare('SELECT * FROM service_keys ORDER BY id DESC')
  const insert = database.prepare('INSERT INTO service_keys (kid, private_key, created_at_seconds) VALUES (?, ?, ?)')
  const retire = database.prepare(
    'UPDATE service_keys SET accepted_until_seconds = ? WHERE accepted_until_seconds IS NULL',
  )
  const remove = database.prepare('DELETE FROM service_keys WHERE accepted_until_seconds <= ?')
  let addingFirst: Promise<void> | null = null

  function stored() {
    const now = nowSeconds()
    return select
      .all()
      .map((row) => toKeyPair(Row.parse(row)))
      .filter(({ acceptedUntilSeconds: until }) => until === null || until > now)
  }

  async function add(oldKeySeconds: number): Promise<void> {
    const privateKey = await generatePrivateKey(keyBits)
    inTransaction(database, () => {
      const now = nowSeconds()
      retire.run(now + oldKeySeconds)
      remove.run(now)
      insert.run(randomUUID(), privateKey, now)
    })
  }

  return {
    /** Returns the keys that the service accepts, newest first. Generates a key pair if there is none. */
    async accepted() {
      const present = stored()
      if (present.length > 0) return present
      // Two first requests at once must not make two keys.
      addingFirst ??= add(0).finally(() => {
        addingFirst = null
      })
      await addingFirst
      return stored()
    },
    /**
     * Generates a new key pair, which becomes the newest.
     * @param oldKeySeconds how long the service still accepts the previous key; 0 drops it at once.
     */
    rotate: add,
  }
}

/** Returns the public halves as a JWK set, in the form of the documentation. */
export function publicKeySet(keys: readonly ServicePrivateKey[]): object {
  return {
    keys: keys.map(({ kid, privateKey }) => {
      const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' })
      return { kid, kty: 'RSA', use: 'enc', n, e }
    }),
  }
}

/** Generates a key in a thread of Node's pool, so that the emulator answers other requests meanwhile. */
async function generatePrivateKey(bits: number): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** A key pair of the service. Login apps encrypt viewer tokens with its public half. */
function toKeyPair(row: z.infer<typeof Row>) {
  return {
    kid: row.kid,
    privateKey: createPrivateKey(row.private_key),
    createdAtSeconds: row.created_at_seconds,
    /** Null for the newest key. */
    acceptedUntilSeconds: row.accepted_until_seconds,
  }
}
