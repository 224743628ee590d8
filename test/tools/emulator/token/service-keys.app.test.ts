import { createPublicKey } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseServiceKeys } from '../../../../src/features/token/viewer-token/service-keys.ts'
import { openDatabase } from '../../../../src/tools/emulator/database.ts'
import { service } from '../../../../src/tools/emulator/token/service.ts'
import { openServiceKeys, publicKeySet } from '../../../../src/tools/emulator/token/service-keys.ts'

let database: DatabaseSync
let now: number

beforeAll(() => {
  database = openDatabase(':memory:', [service.tables ?? ''])
})
beforeEach(() => {
  now = 1_900_000_000
  database.exec('DELETE FROM service_keys')
})
afterAll(() => database.close())

function open() {
  return openServiceKeys({ database, nowSeconds: () => now, keyBits: 2048 })
}

async function kids(): Promise<string[]> {
  return (await open().accepted()).map(({ kid }) => kid)
}

test('two first requests at once generate one key pair, which survives a restart', async () => {
  const keys = open()
  const [first, second] = await Promise.all([keys.accepted(), keys.accepted()])
  expect(first).toHaveLength(1)
  expect(second.map(({ kid }) => kid)).toEqual([first[0]?.kid])
  expect(await kids()).toEqual([first[0]?.kid])
})

test('after a rotation the new key is first, and the old one is accepted for its time', async () => {
  const [old] = await kids()
  await open().rotate(60)
  const [newest] = await kids()
  expect(newest).not.toBe(old)
  now += 59
  expect(await kids()).toEqual([newest, old])
  now += 1
  expect(await kids()).toEqual([newest])
})

test('a rotation without time for the old key drops it at once', async () => {
  const [old] = await kids()
  await open().rotate(0)
  const left = await kids()
  expect(left).toHaveLength(1)
  expect(left).not.toContain(old)
})

test('the JWK set holds the public halves only, in the documented form', async () => {
  await open().rotate(60)
  await open().rotate(60)
  const accepted = await open().accepted()
  const json = JSON.stringify(publicKeySet(accepted))
  const { keys } = JSON.parse(json) as { keys: object[] }
  expect(keys.map((key) => Object.keys(key))).toEqual([
    ['kid', 'kty', 'use', 'n', 'e'],
    ['kid', 'kty', 'use', 'n', 'e'],
  ])
  expect(keys[0]).toMatchObject({ kid: accepted[0]?.kid, kty: 'RSA', use: 'enc', e: 'AQAB' })
  const [newest] = parseServiceKeys(json)
  const privateKey = accepted[0]?.privateKey
  expect(privateKey && newest.publicKey.equals(createPublicKey(privateKey))).toBe(true)
})
