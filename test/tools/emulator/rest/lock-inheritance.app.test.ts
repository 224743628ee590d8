import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { askForToken, basic } from '../oauth/token-client.ts'
import { call } from './rest-client.ts'

/** States and transitions, 2. The validation shows which settings apply. */
let emulator: RunningEmulator
let token: string
let video: RunningEmulator['seed']['videos'][number]

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  const client = emulator.seed.clients[0]
  const found = emulator.seed.videos.find(({ owner, locked }) => owner === client?.owner && !locked)
  if (client === undefined || found === undefined) throw new Error('The seed has no such client or video')
  video = found
  const credentials = { clientId: client.client_id, clientSecret: client.client_secret }
  const fields = { grant_type: 'client_credentials', client_id: client.client_id }
  const { body } = await askForToken(emulator, fields, { authorization: basic(credentials) })
  token = String(body.access_token)
})
afterAll(() => emulator.close())

/** Builds a response by the documents, without code of this project. */
function response(secret: string): string {
  const hash = createHash('md5').update(`ada|${secret}`).digest('hex')
  return JSON.stringify([{ user: 'ada' }, { hash }])
}

async function isValid(secret: string | null): Promise<boolean> {
  const { json } = await call(emulator, 'POST', '/embed/hashlock/validate', {
    json: { content_type: 'recorded', content_id: video.id, response: secret === null ? null : response(secret) },
  })
  return (json as { valid: boolean }).valid
}

function lock(path: string, secret: string) {
  return call(emulator, 'PUT', path, { token, form: { url: 'https://login.example/', secret } })
}

describe('Inherited locks', () => {
  test('a video inherits the channel’s lock until it has its own, and again after its own is removed', async () => {
    expect(await isValid(null)).toBe(true)

    expect((await lock(`/channels/${video.channel_id}/locks/hash/advanced.json`, 'of the channel')).status).toBe(201)
    expect([await isValid(null), await isValid('of the channel'), await isValid('of the video')]).toEqual([
      false,
      true,
      false,
    ])

    expect((await lock(`/videos/${video.id}/locks/hash.json`, 'of the video')).status).toBe(204)
    expect([await isValid('of the channel'), await isValid('of the video')]).toEqual([false, true])

    expect((await call(emulator, 'DELETE', `/videos/${video.id}/locks/hash.json`, { token })).status).toBe(204)
    expect([await isValid('of the channel'), await isValid('of the video')]).toEqual([true, false])

    const channel = `/channels/${video.channel_id}/locks/hash.json`
    expect((await call(emulator, 'DELETE', channel, { token })).status).toBe(200)
    expect(await isValid(null)).toBe(true)
  })
})
