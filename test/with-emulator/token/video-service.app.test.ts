import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { publicKeyPem } from '../../../src/features/token/viewer-token/content-key.ts'
import { parseAllowedAddress } from '../../../src/hash-lock/return-address.ts'
import { type RunningEmulator, startEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import type { RestApi } from '../../../src/tools/video-service/rest-api.ts'
import { embedAddress } from '../../../src/tools/video-service/token/embed-address.ts'
import { fetchServiceKeys } from '../../../src/tools/video-service/token/service-keys.ts'
import { removeViewerAuth, setViewerAuth } from '../../../src/tools/video-service/token/viewer-auth.ts'
import { startService } from '../../tools/video-service/test-service.ts'
import { addFault, apiOf, nowSeconds, send } from '../video-service/client.ts'

const AUTH_URL = 'https://login.example.com/?tenant=a%20b&c=d'
const PLACE = { kind: 'channel', id: '1002' } as const
const contentKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const SETTINGS = { authUrl: AUTH_URL, publicKey: publicKeyPem(contentKey) }

let emulator: RunningEmulator
beforeAll(async () => {
  emulator = await startEmulator({ port: 0, seed: { views: 0 }, isStrict: true })
  return () => emulator.close()
})

const api = (): RestApi => apiOf(emulator)
const embed = (id: string, query = '') => fetch(`${emulator.url}/embed/${id}${query}`, { redirect: 'manual' })

test('viewer auth of a channel sends its player to the login app, until it is removed', async () => {
  await setViewerAuth(api(), PLACE, SETTINGS)
  const locked = await embed('1002')
  expect([locked.status, locked.headers.get('location')]).toEqual([302, expect.stringContaining(`${AUTH_URL}&ref=`)])
  await removeViewerAuth(api(), PLACE)
  expect((await embed('1002')).status).toBe(200)
  await expect(removeViewerAuth(api(), PLACE)).rejects.toMatchObject({ error: 'not_found', status: 404 })
})

test('an embed address opens the player once, with a key that the client fetched', async () => {
  await setViewerAuth(api(), PLACE, SETTINGS)
  const [serviceKey] = await fetchServiceKeys(send, `${emulator.url}/viewer-auth-public-key.json`)
  const keys = { contentKey, serviceKey, allowed: [parseAllowedAddress(`${emulator.url}/embed/`)] }
  const address = await embedAddress(`${emulator.url}/embed/1002`, 'ada@example.com', keys, nowSeconds())
  const statuses = [await fetch(address, { redirect: 'manual' }), await fetch(address, { redirect: 'manual' })]
  expect(statuses.map(({ status }) => status)).toEqual([200, 302])
})

describe('the client refuses', () => {
  test.each([
    [{ kind: 'channel', id: '1003' }, 403, 'lack_of_ownership'],
    [{ kind: 'video', id: '2004' }, 403, 'lack_of_ownership'],
    [{ kind: 'channel', id: '9999' }, 404, 'not_found'],
  ] as const)('viewer auth of %j: %i', async (place, status, error) => {
    await expect(setViewerAuth(api(), place, SETTINGS)).rejects.toMatchObject({ status, error })
  })

  test('a key that the service does not take', async () => {
    const broken = setViewerAuth(api(), PLACE, { ...SETTINGS, publicKey: 'no key' })
    await expect(broken).rejects.toMatchObject({ status: 400, error: 'invalid_request' })
  })

  test('an answer whose status is not documented', async () => {
    const service = await startService((_req, res) => res.writeHead(200).end('{}'))
    const other: RestApi = () => send({ method: 'PUT', url: service })
    await expect(setViewerAuth(other, PLACE, SETTINGS)).rejects.toMatchObject({ name: 'UnexpectedAnswer' })
  })

  test.each(['not JSON', '{"keys":[]}'])('the keys %s', async (body) => {
    const service = await startService((_req, res) => res.end(body))
    await expect(fetchServiceKeys(send, service.href)).rejects.toMatchObject({ name: 'UnexpectedAnswer' })
  })

  test('a redirect to other keys', async () => {
    const service = await startService((_req, res) => res.writeHead(302, { location: 'https://evil.example/' }).end())
    await expect(fetchServiceKeys(send, service.href)).rejects.toMatchObject({ name: 'UnexpectedAnswer' })
  })
})

test('a change is tried again only if the service did not make it', async () => {
  const path = '/channels/1002/viewer-auth.json'
  await addFault(emulator, { path, method: 'PUT', status: 503, count: 1 })
  await setViewerAuth(api(), PLACE, SETTINGS)
  await addFault(emulator, { path, method: 'PUT', hang_up: true, count: 1 })
  await expect(setViewerAuth(api(), PLACE, SETTINGS)).rejects.toMatchObject({ name: 'ServiceUnreachable' })
})
