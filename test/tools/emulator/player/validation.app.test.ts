import { describe, expect, test } from 'vitest'
import {
  goodResponse,
  INHERITING_VIDEO,
  LOCKED_CHANNEL,
  LOCKED_VIDEO,
  OPEN_CHANNEL,
  SECRET,
  serviceForFile,
  startService,
  validate,
} from './service.ts'
import { inOneHour, makeResponse } from './tiny-login-app.ts'

const { service, clock } = serviceForFile()

describe('validation of a response', () => {
  test('a valid response opens the channel or video until its expiry', async () => {
    const expiresAt = clock.seconds + 600
    const response = makeResponse([['user', 'ada@example.com']], expiresAt, SECRET)
    const answer = await validate(service, LOCKED_CHANNEL, response)
    expect(answer).toMatchObject({
      valid: true,
      viewer: 'ada@example.com',
      expires_at: expiresAt,
      playback: expect.stringMatching(/^[0-9a-f]{40}$/),
      playback_seconds: 600,
    })
    expect((await service.request(answer.media_url)).status).toBe(200)
  })

  test('a response without expiry opens the channel or video for four hours', async () => {
    const response = makeResponse([['user', 'ada@example.com']], null, SECRET)
    const answer = await validate(service, LOCKED_CHANNEL, response)
    expect(answer).toMatchObject({ valid: true, expires_at: null, playback_seconds: 4 * 3600 })
  })

  test('a hash before the expiry opens the player, unless the emulator is strict', async () => {
    const before = goodResponse().replace(/(\{"hashExpire":\d+\}),(\{"hash":"\w+"\})/, '$2,$1')
    expect(before).toMatch(/"hashExpire":\d+\}\]$/)
    expect(await validate(service, LOCKED_CHANNEL, before)).toMatchObject({ valid: true })
    const strict = await startService({ isStrict: true })
    expect(await validate(strict, LOCKED_CHANNEL, before)).toEqual({ valid: false })
    expect(await validate(strict, LOCKED_CHANNEL, goodResponse())).toMatchObject({ valid: true })
    await strict.close()
  })

  test('a channel or video without lock opens without a response', async () => {
    expect(await validate(service, OPEN_CHANNEL, null)).toMatchObject({ valid: true, viewer: null })
  })

  test('a video without a lock accepts responses for its channel', async () => {
    service.database.prepare(`UPDATE locks SET secret = 'another' WHERE content_type = 'live'`).run()
    expect(await validate(service, INHERITING_VIDEO, goodResponse('another'))).toMatchObject({ valid: true })
    expect(await validate(service, INHERITING_VIDEO, goodResponse())).toEqual({ valid: false })
    expect(await validate(service, LOCKED_VIDEO, goodResponse())).toMatchObject({ valid: true })
  })

  test.each([
    ['made with another secret', () => goodResponse('another')],
    ['expired a second ago', () => makeResponse([['user', 'ada']], clock.seconds - 1, SECRET)],
    ['expiring at this very second', () => makeResponse([['user', 'ada']], clock.seconds, SECRET)],
    ['with a changed viewer', () => goodResponse().replace('ada@', 'eve@')],
    ['with a changed expiry', () => goodResponse().replace(/"hashExpire":\d/, '"hashExpire":9')],
    ['that is not JSON', () => 'true'],
    ['that is empty', () => ''],
    ['that says false', () => 'false'],
  ])('a response %s is refused', async (_case, response) => {
    expect(await validate(service, LOCKED_CHANNEL, response())).toEqual({ valid: false })
  })

  test('a locked channel or video is refused without a response', async () => {
    expect(await validate(service, LOCKED_CHANNEL, null)).toEqual({ valid: false })
  })

  test('a response with its expiry renamed to a parameter is accepted, as documented', async () => {
    const stripped = goodResponse().replace(/"hashExpire":(\d+)/, '"until":"$1"')
    expect(await validate(service, LOCKED_CHANNEL, stripped)).toMatchObject({ valid: true, expires_at: null })
  })

  test('a response without a user opens the channel or video for an anonymous viewer', async () => {
    const response = makeResponse([['member', '7']], inOneHour(), SECRET)
    expect(await validate(service, LOCKED_CHANNEL, response)).toMatchObject({ valid: true, viewer: null })
  })

  test.each([
    ['an unknown type', { content_type: 'other', content_id: '1001', response: null }, 400],
    ['a number as id', { content_type: 'live', content_id: 1001, response: null }, 400],
    ['a list as response', { content_type: 'live', content_id: '1001', response: [] }, 400],
    ['a list', [], 400],
    ['an unknown channel', { content_type: 'live', content_id: '9', response: null }, 404],
    ['an id that is not a number', { content_type: 'live', content_id: '1001 OR 1=1', response: null }, 404],
    ['a number too large for the database', { content_type: 'live', content_id: '9'.repeat(30), response: null }, 404],
    ['more than eight kilobytes', { content_type: 'live', content_id: '1001', response: 'x'.repeat(9000) }, 413],
  ])('a validation request with %s is answered in JSON', async (_case, body, status) => {
    const answer = await service.post('/embed/hashlock/validate', body)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch('application/json')
  })
})
