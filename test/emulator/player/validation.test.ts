import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  goodResponse,
  INHERITING_VIDEO,
  LOCKED_CHANNEL,
  LOCKED_VIDEO,
  OPEN_CHANNEL,
  SECRET,
  type Service,
  startService,
  validate,
} from './service.ts'
import { inOneHour, makeResponse } from './tiny-login-app.ts'

let service: Service
let nowSeconds: number

beforeEach(async () => {
  nowSeconds = Math.floor(Date.now() / 1000)
  service = await startService({ nowSeconds: () => nowSeconds })
})

afterEach(() => service.close())

describe('validation of a response', () => {
  test('a good response opens the content until the expiry', async () => {
    const expiresAt = nowSeconds + 600
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

  test('a response without expiry opens the content for four hours, and may be shown again', async () => {
    const response = makeResponse([['user', 'ada@example.com']], null, SECRET)
    const answer = await validate(service, LOCKED_CHANNEL, response)
    expect(answer).toMatchObject({ valid: true, expires_at: null, playback_seconds: 4 * 3600 })
  })

  test('a content without lock opens without a response', async () => {
    expect(await validate(service, OPEN_CHANNEL, null)).toMatchObject({ valid: true, viewer: null })
  })

  test('a video without a lock of its own takes the responses of its channel', async () => {
    service.database.prepare(`UPDATE locks SET secret = 'another' WHERE content_type = 'live'`).run()
    expect(await validate(service, INHERITING_VIDEO, goodResponse('another'))).toMatchObject({ valid: true })
    expect(await validate(service, INHERITING_VIDEO, goodResponse())).toEqual({ valid: false })
    expect(await validate(service, LOCKED_VIDEO, goodResponse())).toMatchObject({ valid: true })
  })

  test.each([
    ['made with another secret', () => goodResponse('another')],
    ['expired a second ago', () => makeResponse([['user', 'ada']], nowSeconds - 1, SECRET)],
    ['expiring at this very second', () => makeResponse([['user', 'ada']], nowSeconds, SECRET)],
    ['of another viewer by hand', () => goodResponse().replace('ada@', 'eve@')],
    ['with a later expiry by hand', () => goodResponse().replace(/"hashExpire":\d/, '"hashExpire":9')],
    ['that is no JSON', () => 'true'],
    ['that is empty', () => ''],
    ['that says false', () => 'false'],
  ])('a response %s is refused', async (_case, response) => {
    expect(await validate(service, LOCKED_CHANNEL, response())).toEqual({ valid: false })
  })

  test('no response at all is refused where there is a lock', async () => {
    expect(await validate(service, LOCKED_CHANNEL, null)).toEqual({ valid: false })
  })

  test('an expiry renamed to a parameter is accepted, by the documented rule', async () => {
    const stripped = goodResponse().replace(/"hashExpire":(\d+)/, '"until":"$1"')
    expect(await validate(service, LOCKED_CHANNEL, stripped)).toMatchObject({ valid: true, expires_at: null })
  })

  test('a viewer whose response names no user is let in without a name', async () => {
    const response = makeResponse([['member', '7']], inOneHour(), SECRET)
    expect(await validate(service, LOCKED_CHANNEL, response)).toMatchObject({ valid: true, viewer: null })
  })

  test.each([
    ['an unknown type', { content_type: 'other', content_id: '1001', response: null }, 400],
    ['a number as id', { content_type: 'live', content_id: 1001, response: null }, 400],
    ['a response that is no text', { content_type: 'live', content_id: '1001', response: [] }, 400],
    ['a list', [], 400],
    ['an unknown channel', { content_type: 'live', content_id: '9', response: null }, 404],
    ['an id that is no number', { content_type: 'live', content_id: '1001 OR 1=1', response: null }, 404],
    ['a number beyond the database', { content_type: 'live', content_id: '9'.repeat(30), response: null }, 404],
    ['eight kilobytes and more', { content_type: 'live', content_id: '1001', response: 'x'.repeat(9000) }, 413],
  ])('%s as a validation request is answered in JSON', async (_case, body, status) => {
    const answer = await service.post('/embed/hashlock/validate', body)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch('application/json')
  })
})
