import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { parseServiceKeys } from '../../../../src/features/token/viewer-token/service-keys.ts'
import { encrypt, sign } from '../../../features/token/viewer-token/jose-tokens.ts'
import { ISSUED_AT, KID } from '../../../features/token/viewer-token/jwcrypto-vectors.ts'
import { newestRequest, startTokenService, type TokenService } from './token-service.ts'

const Keys = z.object({
  keys: z.array(z.object({ kid: z.string(), created_at: z.string(), accepted_until: z.string().nullable() })),
})

let service: TokenService

beforeAll(async () => {
  service = await startTokenService()
  service.lock('live', 1001)
})
afterAll(() => service.close())

async function rotate(body?: object): Promise<string[]> {
  const answer = await service.post('/emulator/service-keys', body)
  return Keys.parse(await answer.json()).keys.map(({ kid }) => kid)
}

async function published() {
  return parseServiceKeys(await (await service.request('/viewer-auth-public-key.json')).text())
}

/** Opens the player with a new token that is encrypted with a published key. */
async function statusWith({ kid, publicKey }: Awaited<ReturnType<typeof published>>[number]): Promise<number> {
  const header = { alg: 'RSA-OAEP', enc: 'A256CBC-HS512', typ: 'JWT', kid }
  const token = await encrypt(await sign(`{"sub":"ada","iat":${ISSUED_AT}}`), header, publicKey)
  return (await service.request(`/embed/1001?vt=${token}`)).status
}

test('a rotation publishes the new key first, and the old one is accepted for a time', async () => {
  const [old] = await published()
  expect(old.kid).toBe(KID)
  const [newKid, ...others] = await rotate()
  expect(others).toEqual([KID])
  const [newest, second] = await published()
  expect([newest.kid, second?.kid]).toEqual([newKid, KID])
  expect([await statusWith(newest), await statusWith(old)]).toEqual([200, 200])

  expect(await rotate({ old_key_seconds: 0 })).toEqual([expect.any(String), KID])
  expect(await statusWith(newest)).toBe(302)
  expect((await newestRequest(service)).explanation).toContain('kid names no key of the service')
  expect(await statusWith(old)).toBe(200)
})

test('a reset keeps the keys, because login apps keep them too', async () => {
  const before = (await published()).map(({ kid }) => kid)
  await service.post('/emulator/reset', {})
  expect((await published()).map(({ kid }) => kid)).toEqual(before)
})

test('the list of keys holds no private key', async () => {
  const listed = await (await service.request('/emulator/service-keys')).text()
  expect(listed).not.toContain('PRIVATE')
  expect(Keys.parse(JSON.parse(listed)).keys[0]?.accepted_until).toBeNull()
})

test.each([[{ old_key_seconds: -1 }], [{ old_key_seconds: 'soon' }], [{ seconds: 1 }], [[]]])(
  'a rotation with %j is refused',
  async (body) => {
    expect((await service.post('/emulator/service-keys', body)).status).toBe(400)
  },
)

test('a page of another site cannot rotate the key', async () => {
  const headers = { 'Sec-Fetch-Site': 'cross-site' }
  expect((await service.request('/emulator/service-keys', { method: 'POST', headers })).status).toBe(403)
})

test('a browser that presses the button returns to the home page', async () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }
  const answer = await service.request('/emulator/service-keys', { method: 'POST', headers })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
})
