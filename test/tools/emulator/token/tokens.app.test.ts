import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alteredTokens } from '../../../features/token/viewer-token/altered-tokens.ts'
import { ISSUED_AT, TOKEN_VECTORS } from '../../../features/token/viewer-token/jwcrypto-vectors.ts'
import { goodResponse, LOCKED_CHANNEL, validate } from '../player/service.ts'
import {
  explanationOf,
  makeToken,
  newestRequest,
  OTHER_KEY_PEM,
  settingsIn,
  startTokenService,
  type TokenService,
} from './token-service.ts'

let service: TokenService

beforeAll(async () => {
  service = await startTokenService()
})
beforeEach(() => {
  service.clear()
  service.setClock(ISSUED_AT)
  service.lock('live', 1001)
})
afterAll(() => service.close())

function authAddress(ref: string): string {
  return `https://login.example/entry?tenant=a%20b&ref=${encodeURIComponent(service.emulator.url + ref)}#top`
}

function open(path: string, token: string): Promise<Response> {
  return service.request(`${path}${path.includes('?') ? '&' : '?'}vt=${token}`)
}

describe('an embed without a token', () => {
  test.each([
    ['/embed/1001', '/embed/1001'],
    ['/embed/recorded/2002', '/embed/recorded/2002'],
    ['/chat/1001', '/chat/1001'],
    ['/qna/1001', '/qna/1001'],
    ['/combined/recorded/2002', '/combined/recorded/2002'],
    ['/embed/1001?autoplay=1&title=a%20b~&c=%c3%A9', '/embed/1001?autoplay=1&title=a%20b~&c=%c3%A9'],
    ['/EMBED/1001/?', '/embed/1001'],
  ])('%s redirects its own frame to auth_url with ref %s', async (path, ref) => {
    const answer = await service.request(path)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, authAddress(ref)])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await newestRequest(service)).toMatchObject({ verdict: 'answered', status: 302 })
  })
})

describe('a valid token', () => {
  test.each(Object.entries(TOKEN_VECTORS))(
    'a token that jwcrypto built opens the player: %s',
    async (_name, { subject, token }) => {
      const answer = await open('/embed/1001', token)
      expect(answer.status).toBe(200)
      const { opening } = await settingsIn(answer)
      expect(opening).toMatchObject({ valid: true, viewer: subject, playback_seconds: 4 * 3600 })
      expect((await service.request((opening as { media_url: string }).media_url)).status).toBe(200)
      const logged = await service.request('/emulator/requests')
      expect(await logged.text()).not.toContain(token.split('.')[3])
    },
  )

  test('a token is accepted 60 seconds after its iat, and refused a second later', async () => {
    service.setClock(ISSUED_AT + 60)
    expect((await open('/embed/1001', await makeToken())).status).toBe(200)
    service.setClock(ISSUED_AT + 61)
    expect((await open('/embed/1001', await makeToken())).status).toBe(302)
    expect((await newestRequest(service)).explanation).toContain('61 s ago')
  })

  test('a token in an embed keeps the other parameters of the embed for the next token', async () => {
    const answer = await open('/embed/1001?autoplay=1', await makeToken())
    expect((await settingsIn(answer)).renewUrl).toBe(`${service.emulator.url}/embed/1001?autoplay=1`)
  })

  test('a token names the viewer in the chat', async () => {
    const { opening } = await settingsIn(await open('/chat/1001', await makeToken('eve@example.com')))
    const { playback } = opening as { playback: string }
    const message = await service.post('/chat/1001/messages', { playback, text: 'Hello' })
    expect(await message.json()).toMatchObject({ author: 'eve@example.com' })
  })

  test('a playback of a token ends when the channel or video gets another key', async () => {
    const { opening } = await settingsIn(await open('/embed/1001', await makeToken()))
    const { media_url: mediaUrl } = opening as { media_url: string }
    service.lock('live', 1001, OTHER_KEY_PEM)
    expect((await service.request(mediaUrl)).status).toBe(403)
  })
})

describe('a token is accepted once for each component', () => {
  test('a token is refused at a component that used it, also for another channel or video and at the same time', async () => {
    service.lock('live', 1003)
    const token = await makeToken()
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => open('/embed/1001', token)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 302, 302, 302])
    expect((await open('/embed/1003', token)).status).toBe(302)
    expect(await newestRequest(service)).toMatchObject({
      verdict: 'refused',
      explanation: expect.stringContaining('used before at the player'),
    })
  })

  test('a token is accepted once at player, chat and Q&A each, and then refused at player and chat together', async () => {
    const token = await makeToken()
    expect((await open('/embed/1001', token)).status).toBe(200)
    expect((await open('/combined/1001', token)).status).toBe(302)
    for (const status of [200, 302]) {
      expect((await open('/chat/1001', token)).status).toBe(status)
      expect((await open('/qna/1001', token)).status).toBe(status)
    }
  })

  test('a combined embed uses a token for the player and for the chat', async () => {
    const token = await makeToken()
    expect((await open('/combined/1001', token)).status).toBe(200)
    expect((await open('/embed/1001', token)).status).toBe(302)
    expect((await open('/chat/1001', token)).status).toBe(302)
  })

  test('a used token is refused after the clock was set forward and back', async () => {
    const token = await makeToken()
    expect((await open('/embed/1001', token)).status).toBe(200)
    service.setClock(ISSUED_AT + 90)
    expect((await open('/embed/1001', await makeToken('ada', ISSUED_AT + 90))).status).toBe(200)
    service.setClock(ISSUED_AT + 1)
    expect((await open('/embed/1001', token)).status).toBe(302)
    expect((await newestRequest(service)).explanation).toContain('used before at the player')
  })

  test('a HEAD request uses a token, as a GET request does', async () => {
    const token = await makeToken()
    expect((await service.request(`/embed/1001?vt=${token}`, { method: 'HEAD' })).status).toBe(200)
    expect((await open('/embed/1001', token)).status).toBe(302)
  })

  test('a refused token is not used up', async () => {
    service.setClock(ISSUED_AT - 1)
    const token = await makeToken()
    expect((await open('/embed/1001', token)).status).toBe(302)
    service.setClock(ISSUED_AT)
    expect((await open('/embed/1001', token)).status).toBe(200)
  })
})

describe('a wrong token', () => {
  test('a token that is refused for any reason leads back to auth_url, with the reason in the log', async () => {
    const byReason = new Map((await alteredTokens()).map((altered) => [altered.reason, altered]))
    expect(byReason.size).toBe(11)
    for (const { name, token, reason } of byReason.values()) {
      const answer = await open('/embed/1001', encodeURIComponent(token))
      const { explanation, verdict, path } = await newestRequest(service)
      expect([name, answer.status, verdict, explanation]).toEqual([
        name,
        302,
        'refused',
        expect.stringContaining(explanationOf(reason)),
      ])
      expect(answer.headers.get('location')).toBe(authAddress('/embed/1001'))
      expect(path.length).toBeLessThan(100)
    }
  })

  test.each(['vt=', 'vt', 'vt=&vt='])('the query %s leads to auth_url, as no token does', async (query) => {
    const answer = await service.request(`/embed/1001?${query}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, authAddress('/embed/1001')])
    expect((await newestRequest(service)).verdict).toBe('refused')
  })

  test('the other parameters keep their order and their bytes around a refused token', async () => {
    const answer = await service.request('/embed/1001?b=%2b+~&a=1&vt=x&b=2&c')
    expect(answer.headers.get('location')).toBe(authAddress('/embed/1001?b=%2b+~&a=1&b=2&c'))
  })

  test('a token in a POST opens nothing, and is not used up', async () => {
    const token = await makeToken()
    const posts = [
      await service.request('/embed/1001', { method: 'POST', body: new URLSearchParams({ vt: token }) }),
      await service.request(`/embed/1001?vt=${token}`, { method: 'POST' }),
    ]
    expect(posts.map(({ status }) => status)).toEqual([405, 405])
    expect((await open('/embed/1001', token)).status).toBe(200)
  })

  test('another name of this machine leads to the address of the player, and uses no token', async () => {
    const token = await makeToken()
    const { port, url } = service.emulator
    const answer = await fetch(`http://localhost:${port}/embed/1001?vt=${token}`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([307, `${url}/embed/1001?vt=${token}`])
    expect((await open('/embed/1001', token)).status).toBe(200)
  })

  test('two tokens in one address are refused', async () => {
    const answer = await service.request(`/embed/1001?vt=${await makeToken()}&%76t=${await makeToken()}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, authAddress('/embed/1001')])
    expect((await newestRequest(service)).explanation).toContain('more than once')
  })

  test('a token for a channel or video with another key is refused', async () => {
    service.lock('live', 1001, OTHER_KEY_PEM)
    expect((await open('/embed/1001', await makeToken())).status).toBe(302)
    expect((await newestRequest(service)).explanation).toContain('the signature does not match')
  })
})

describe('the two versions', () => {
  test('a channel or video with both takes tokens, and no authentication response', async () => {
    expect(await validate(service, LOCKED_CHANNEL, goodResponse())).toEqual({ valid: false })
    expect((await newestRequest(service)).explanation).toContain('is locked by viewer tokens')
    expect((await service.request('/embed/1001')).status).toBe(302)
  })

  test('an authentication response is not a token, at the player and at the chat', async () => {
    const response = encodeURIComponent(goodResponse(undefined, ISSUED_AT + 60))
    for (const path of ['/embed/1001', '/chat/1001']) {
      expect((await open(path, response)).status).toBe(302)
      expect((await newestRequest(service)).explanation).toContain('malformed')
    }
  })

  test('a channel or video without viewer auth takes responses again, and a token opens nothing', async () => {
    service.clear()
    const { opening, entryUrl } = await settingsIn(await open('/embed/1001', await makeToken()))
    expect([opening, entryUrl]).toEqual([undefined, expect.stringContaining('ustreamContentId=1001')])
    expect(await validate(service, LOCKED_CHANNEL, await makeToken())).toEqual({ valid: false })
    expect(await validate(service, LOCKED_CHANNEL, goodResponse(undefined, ISSUED_AT + 60))).toMatchObject({
      valid: true,
    })
  })

  test('viewer auth ends the playbacks of the hash lock', async () => {
    service.clear()
    const { media_url: mediaUrl } = await validate(service, LOCKED_CHANNEL, goodResponse(undefined, ISSUED_AT + 60))
    expect((await service.request(mediaUrl)).status).toBe(200)
    service.lock('live', 1001)
    expect((await service.request(mediaUrl)).status).toBe(403)
  })

  test('a video inherits the viewer auth of its channel, unless it has a lock of its own', async () => {
    expect((await open('/embed/recorded/2002', await makeToken())).status).toBe(200)
    expect((await newestRequest(service)).explanation).toContain('belongs to channel 1001')
    service.lock('live', 1002)
    // Video 2001 of channel 1002 has a hash lock, video 2003 has none.
    const { entryUrl } = await settingsIn(await service.request('/embed/recorded/2001'))
    expect(entryUrl).toContain('ustreamContentId=2001')
    expect((await service.request('/embed/recorded/2003')).status).toBe(302)
    service.lock('recorded', 2003, OTHER_KEY_PEM)
    expect((await open('/embed/recorded/2003', await makeToken())).status).toBe(302)
    expect((await newestRequest(service)).explanation).toContain('the signature does not match')
  })

  test('an open content ignores a token', async () => {
    const answer = await open('/embed/1002', await makeToken())
    expect(answer.status).toBe(200)
  })
})

test('a customer’s page may frame the player and, for viewer tokens, the login app', async () => {
  const policy = (await service.request('/channel/1001')).headers.get('content-security-policy')
  expect(policy).toContain(`frame-src 'self' ${service.emulator.url} https://login.example;`)
})
