import { execFileSync } from 'node:child_process'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** Runs Python's jwcrypto, which stands for the service and for the backend of a customer. */

const PROGRAM = fileURLToPath(new URL('jwcrypto-peer.py', import.meta.url))

interface TokenToCheck {
  readonly token: string
  /** With `kid`. */
  readonly serviceKey: JsonWebKey
  readonly contentKey: JsonWebKey
  readonly nowSeconds: number
}

export interface TokenToBuild {
  readonly text: string
  /** From the inside to the outside. A header with `enc` encrypts. Without a key, the layer has an empty signature. */
  readonly layers: readonly { readonly header: string; readonly key: JsonWebKey | null }[]
}

const Checked = z.object({
  subject: z.string(),
  claims: z.record(z.string(), z.unknown()),
  header: z.record(z.string(), z.unknown()),
  signedHeader: z.record(z.string(), z.unknown()),
  encryptedKeyBytes: z.number(),
  /** In hexadecimal, as `iv`. */
  contentEncryptionKey: z.string(),
  iv: z.string(),
  tagBytes: z.number(),
})
const Answer = z.object({ checked: z.array(Checked.nullable()), built: z.array(z.string()) })

/** The content of a token that jwcrypto accepts. */
export type CheckedToken = z.infer<typeof Checked>

/** Checks tokens, all in one process. Null for a token that jwcrypto refuses. */
export function checkWithJwcrypto(check: readonly TokenToCheck[]): (CheckedToken | null)[] {
  return run({ check }).checked
}

/** Builds tokens, all in one process. */
export function buildWithJwcrypto(build: readonly TokenToBuild[]): string[] {
  return run({ build }).built
}

export function jwkOf(key: KeyObject, kid?: string): JsonWebKey {
  return { ...key.export({ format: 'jwk' }), ...(kid === undefined ? {} : { kid }) }
}

function run(task: object): z.infer<typeof Answer> {
  const input = JSON.stringify(task)
  return Answer.parse(JSON.parse(execFileSync('/usr/bin/python3', [PROGRAM], { input, encoding: 'utf8' })))
}
