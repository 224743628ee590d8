import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { SECRET } from './entry-point.ts'

export interface PassedResponse {
  readonly address: string
  readonly parameters: readonly (readonly [string, string])[]
  readonly expiresAtSeconds: number | null
}

/**
 * Verifies the response in a redirect as the specification says, without code of the app. The hash is over the values,
 * the expiry if there is one, and the secret, joined by "|".
 */
export function responseOf(location: string | undefined, secret: string = SECRET): PassedResponse {
  expect(location).toBeDefined()
  const [address = '', ...hashes] = (location ?? '').split(/[?&]hash=/)
  expect(hashes).toHaveLength(1)
  const entries = JSON.parse(decodeURIComponent(hashes[0] ?? '')) as Record<string, string | number>[]
  const pairs = entries.map((entry) => {
    expect(Object.keys(entry)).toHaveLength(1)
    return Object.entries(entry)[0] as [string, string | number]
  })
  const [lastName, hash] = pairs.pop() ?? []
  expect(lastName).toBe('hash')
  const hashed = [...pairs.map(([, value]) => String(value)), secret].join('|')
  expect(hash).toBe(createHash('md5').update(hashed, 'utf8').digest('hex'))
  const expiry = pairs.at(-1)?.[0] === 'hashExpire' ? pairs.pop()?.[1] : null
  return {
    address,
    parameters: pairs.map(([name, value]) => [name, String(value)]),
    expiresAtSeconds: expiry === null ? null : Number(expiry),
  }
}
