import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { createChannel, listChannels } from '../../../src/tools/video-service/channels.ts'
import { readLock, removeLock, setLock } from '../../../src/tools/video-service/locks.ts'
import { createRestApi, type RestApi } from '../../../src/tools/video-service/rest-api.ts'
import { addFault, apiOf, emulatorOfTest, nowSeconds, send, settingsFor } from './client.ts'

const LOCK = { url: 'https://login.example.com/?a=1&b=2', secret: 'a secret + more & more' }
let emulator: RunningEmulator
let api: RestApi
beforeEach(async () => {
  emulator = await emulatorOfTest()
  api = apiOf(emulator)
})

describe.each(['bearer', 'mac'] as const)('with a %s token', (type) => {
  beforeEach(() => {
    api = apiOf(emulator, type)
  })

  test('a channel is created and listed', async () => {
    const channel = await createChannel(api, 'Über uns & more')
    expect(channel).toMatchObject({ title: 'Über uns & more', url: 'uber-uns-more' })
    expect(await listChannels(api)).toContainEqual(channel)
  })

  test('the lock of a channel is set, replaced, read in JSON and XML, and removed', async () => {
    const place = { kind: 'channel', id: '1002' } as const
    expect(await setLock(api, place, { ...LOCK, url: 'http://localhost:3000/' })).toBe('new')
    expect(await setLock(api, place, LOCK)).toBe('replaced')
    const lock = await readLock(api, place)
    expect(lock).toMatchObject({ url: LOCK.url, type: 'advanced', message: null })
    expect(lock).not.toHaveProperty('secret')
    expect(await readLock(api, place, 'xml')).toEqual(lock)
    await removeLock(api, place)
    await expect(readLock(api, place)).rejects.toMatchObject({ error: 'not_found', status: 404 })
    await expect(readLock(api, place, 'xml')).rejects.toMatchObject({ error: 'not_found', status: 404 })
  })

  test('the lock of a video is set, read with its secret, and removed', async () => {
    const place = { kind: 'video', id: '2003' } as const
    expect(await readLock(api, place)).toBeNull()
    expect(await setLock(api, place, LOCK)).toBe('set')
    expect(await readLock(api, place)).toEqual(LOCK)
    await removeLock(api, place)
    expect(await readLock(api, place)).toBeNull()
    await expect(removeLock(api, place)).rejects.toMatchObject({ error: 'not_found', status: 404 })
  })
})

test('the lock of a video is never requested in XML', async () => {
  await expect(readLock(api, { kind: 'video', id: '2001' }, 'xml')).rejects.toThrow(RangeError)
})

describe('the errors of viewer authentication', () => {
  const place = { kind: 'channel', id: '1002' } as const
  const foreign = [
    { kind: 'channel', id: '1003' },
    { kind: 'video', id: '2004' },
  ] as const

  test('every call for a foreign channel or video fails with lack_of_ownership', async () => {
    const expected = { name: 'ServiceRefusal', error: 'lack_of_ownership', status: 403 }
    for (const theirs of foreign) {
      await expect(setLock(api, theirs, LOCK)).rejects.toMatchObject(expected)
      await expect(readLock(api, theirs)).rejects.toMatchObject(expected)
      await expect(removeLock(api, theirs)).rejects.toMatchObject(expected)
    }
  })

  test('an unknown id, and an id with a path in it, fail with not_found', async () => {
    const expected = { error: 'not_found', status: 404 }
    for (const id of ['9999', '1002/locks/hash.json?', '../users/self']) {
      await expect(setLock(api, { kind: 'channel', id }, LOCK)).rejects.toMatchObject(expected)
      await expect(removeLock(api, { kind: 'video', id }, undefined)).rejects.toMatchObject(expected)
    }
  })

  test('a wrong address fails with invalid_type, an empty secret with invalid_request', async () => {
    await expect(setLock(api, place, { ...LOCK, url: 'login' })).rejects.toMatchObject({
      error: 'invalid_type',
      status: 400,
    })
    await expect(setLock(api, place, { ...LOCK, secret: '' })).rejects.toMatchObject({
      error: 'invalid_request',
      status: 400,
    })
  })

  test('an invalid token is refused with 401, in JSON and in XML', async () => {
    const settings = settingsFor(emulator)
    const token = { type: 'bearer', value: 'ab'.repeat(20), expiresAtSeconds: 2e9 } as const
    const wrong = createRestApi({ settings, send, token: () => Promise.resolve(token), nowSeconds })
    await expect(readLock(wrong, place)).rejects.toMatchObject({ error: 'invalid_token', status: 401 })
    await expect(readLock(wrong, place, 'xml')).rejects.toMatchObject({ error: 'invalid_token', status: 401 })
  })

  test('setting a lock is not retried after a lost connection', async () => {
    await addFault(emulator, { path: '/channels/*', method: 'PUT', hang_up: true })
    await expect(setLock(api, place, LOCK)).rejects.toMatchObject({ name: 'ServiceUnreachable', reason: 'connection' })
    expect(await setLock(api, place, LOCK)).toBe('new')
  })
})
