import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LoggedRequest } from '../../../../src/tools/emulator/developer/request-log.ts'
import { LOCKED_CHANNEL, OPEN_CHANNEL, SECRET, type Service, startService, validate } from '../player/service.ts'
import { makeResponse } from '../player/tiny-login-app.ts'

let service: Service
let realSeconds: number

beforeEach(async () => {
  realSeconds = 1_900_000_000
  service = await startService({ nowSeconds: () => realSeconds })
})

afterEach(() => service.close())

function response(): string {
  return makeResponse([['user', 'ada']], realSeconds + 3600, SECRET)
}

async function json(path: string, init?: RequestInit): Promise<unknown> {
  return (await service.request(path, init)).json()
}

async function logged(): Promise<LoggedRequest[]> {
  const { requests } = (await json('/emulator/requests')) as { requests: LoggedRequest[] }
  return requests
}

test('/emulator/env lists the settings of the login app and the command line, one per line', async () => {
  const answer = await service.request('/emulator/env')
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const { url, seed } = service.emulator
  const lines = (await answer.text()).trimEnd().split('\n')
  expect(lines).toContain(`PLAYER_RETURN_URL=${url}/embed/hashlock/pass`)
  expect(lines).toContain(`SERVICE_BASE_URL=${url}`)
  expect(lines).toContain(`SERVICE_CLIENT_SECRET=${seed.clients[0]?.client_secret}`)
  expect(lines.filter((line) => !/^[A-Z_]+=\S+$/.test(line))).toEqual([])
})

describe('/emulator/seed', () => {
  test('the seed holds clients, users, channels and videos, with random secrets', async () => {
    const seed = (await json('/emulator/seed')) as Record<string, Record<string, unknown>[]>
    const hex40 = expect.stringMatching(/^[0-9a-f]{40}$/)
    expect(seed.clients?.[0]).toEqual({
      client_id: hex40,
      client_secret: hex40,
      name: expect.any(String),
      redirect_uri_prefix: 'http://127.0.0.1/callback',
      redirect_uri_prefixes: ['http://127.0.0.1/callback'],
      owner: expect.any(String),
    })
    expect(seed.users?.length).toBeGreaterThanOrEqual(2)
    expect(new Set(seed.users?.map(({ password }) => password)).size).toBe(seed.users?.length)
    const owner = seed.clients?.[0]?.owner
    expect(seed.channels?.some((channel) => channel.owner === owner && channel.locked === true)).toBe(true)
    expect(seed.channels?.some((channel) => channel.locked === false)).toBe(true)
    expect(seed.videos?.some((video) => video.owner === owner && video.locked === true)).toBe(true)
    for (const video of seed.videos ?? []) {
      expect(seed.channels?.find(({ id }) => id === video.channel_id)).toBeDefined()
    }
    const other = await startService()
    expect(other.emulator.seed.clients[0]?.client_id).not.toBe(seed.clients?.[0]?.client_id)
    await other.close()
  })
})

describe('/emulator/clock', () => {
  test('the clock can be advanced, set and returned to the real time, and validation follows', async () => {
    const soon = makeResponse([['user', 'ada']], realSeconds + 60, SECRET)
    const put = (body: object) => service.post('/emulator/clock', body).then((answer) => answer.json())
    expect(await json('/emulator/clock')).toEqual({
      now: '2030-03-17T17:46:40.000Z',
      now_seconds: 1_900_000_000,
      offset_seconds: 0,
      frozen: false,
    })
    expect(await put({ advance_seconds: 60 })).toMatchObject({ now_seconds: 1_900_000_060, offset_seconds: 60 })
    expect(await validate(service, LOCKED_CHANNEL, soon)).toEqual({ valid: false })
    expect(await put({ now: '2030-03-17T18:46:39+01:00' })).toMatchObject({ offset_seconds: -1 })
    expect(await validate(service, LOCKED_CHANNEL, soon)).toMatchObject({ valid: true, playback_seconds: 61 })
    expect(await put({ now_seconds: 5 })).toMatchObject({ now: '1970-01-01T00:00:05.000Z' })
    realSeconds += 10
    expect(await json('/emulator/clock')).toMatchObject({ now_seconds: 15 })
    expect(await put({ real: true })).toMatchObject({ now_seconds: 1_900_000_010, offset_seconds: 0 })
  })

  test('the clock stands still, moves while it stands, and runs on from there', async () => {
    const put = (body: object) => service.post('/emulator/clock', body).then((answer) => answer.json())
    expect(await put({ frozen: true })).toMatchObject({ now_seconds: 1_900_000_000, frozen: true })
    realSeconds += 100
    expect(await json('/emulator/clock')).toMatchObject({ now_seconds: 1_900_000_000, offset_seconds: -100 })
    expect(await put({ advance_seconds: 30 })).toMatchObject({ now_seconds: 1_900_000_030, frozen: true })
    realSeconds += 100
    expect(await put({ now: '2031-01-01T10:00:00Z' })).toMatchObject({ now_seconds: 1_925_028_000, frozen: true })
    realSeconds += 100
    expect(await put({ frozen: false })).toMatchObject({ now_seconds: 1_925_028_000, frozen: false })
    realSeconds += 5
    expect(await json('/emulator/clock')).toMatchObject({ now_seconds: 1_925_028_005 })
    expect(await put({ now_seconds: 7, frozen: true })).toMatchObject({ now_seconds: 7, frozen: true })
    realSeconds += 5
    expect(await json('/emulator/clock')).toMatchObject({ now_seconds: 7 })
    expect(await put({ real: true })).toMatchObject({ now_seconds: realSeconds, offset_seconds: 0, frozen: false })
  })

  test('a response does not expire while the clock stands still, and a reset lets the clock run', async () => {
    const soon = makeResponse([['user', 'ada']], realSeconds + 60, SECRET)
    await service.post('/emulator/clock', { frozen: true })
    realSeconds += 3_600
    expect(await validate(service, LOCKED_CHANNEL, soon)).toMatchObject({ valid: true, playback_seconds: 60 })
    await service.post('/emulator/reset', {})
    expect(await json('/emulator/clock')).toMatchObject({ now_seconds: realSeconds, frozen: false })
  })

  test('the header Date of every response shows the emulator’s time', async () => {
    await service.post('/emulator/clock', { now: '2031-01-01T10:00:00Z' })
    for (const path of ['/', '/emulator/clock', '/channels/1/locks/hash.json', '/v1/viewers', '/nowhere']) {
      const { headers } = await service.request(path)
      expect(headers.get('date'), path).toBe('Wed, 01 Jan 2031 10:00:00 GMT')
    }
  })

  test('the clock refuses malformed and impossible times', async () => {
    for (const body of [
      {},
      { now: 'tomorrow' },
      { now: '2026-02-30T00:00:00Z' },
      { now: '2026-01-01T00:00:00' },
      { now_seconds: -1 },
      { now_seconds: 1e18 },
      { now_seconds: 1.5 },
      { now_seconds: null },
      { now_seconds: '' },
      { now_seconds: [5] },
      { advance_seconds: true },
      { advance_seconds: 1e15 },
      { advance_seconds: 'x' },
      { real: false },
      { now_seconds: 5, real: true },
      { frozen: 'yes' },
      { frozen: true, real: true },
      { now_seconds: 5, advance_seconds: 5 },
      [1],
    ]) {
      const answer = await service.post('/emulator/clock', body)
      expect([body, answer.status, await answer.json()]).toMatchObject([body, 400, { error: 'invalid_request' }])
    }
    expect(await json('/emulator/clock')).toMatchObject({ offset_seconds: 0 })
  })
})

describe('/emulator/reset', () => {
  test('a reset restores rows, locks, playbacks, clock, faults and log', async () => {
    const before = await json('/emulator/seed')
    const { media_url, playback } = await validate(service, LOCKED_CHANNEL, response())
    await service.post('/chat/1001/messages', { playback, text: 'hello' })
    service.database.exec(`DELETE FROM locks; UPDATE channels SET title = 'Changed'; DELETE FROM clients`)
    await service.post('/emulator/clock', { advance_seconds: 100 })
    await service.post('/emulator/faults', { path: '/embed/*', status: 503, count: 100 })
    expect((await service.post('/emulator/reset', {})).status).toBe(200)
    expect((await service.request(media_url)).status).toBe(403)
    expect(await json('/emulator/seed')).toEqual(before)
    expect(await json('/emulator/clock')).toMatchObject({ offset_seconds: 0 })
    expect(await json('/emulator/faults')).toEqual({ faults: [] })
    expect(await validate(service, LOCKED_CHANNEL, response())).toMatchObject({ valid: true })
    const count = (table: string) => service.database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n
    expect(count('messages')).toBe(0)
    expect(count('clients')).toBe(2)
    expect(await (await service.request('/channel/1001')).text()).toContain('Town hall')
    expect((await logged()).some(({ path }) => path === '/chat/1001/messages')).toBe(false)
  })

  test('a reset generates the seeded views again', async () => {
    const filled = await startService({ seed: { views: 300 } })
    const count = () => filled.database.prepare('SELECT count(*) AS n FROM watched_segments').get()?.n
    expect(count()).toBe(300)
    filled.database.exec('DELETE FROM watched_segments')
    await filled.post('/emulator/reset', {})
    expect(count()).toBe(300)
    await filled.close()
  })
})

describe('/emulator/requests', () => {
  test('the log explains why a response was refused, without its hash', async () => {
    const expired = makeResponse([['user', 'ada']], realSeconds - 90, SECRET)
    await validate(service, LOCKED_CHANNEL, expired)
    const stripped = response().replace(/"hashExpire":(\d+)/, '"until":"$1"')
    await validate(service, LOCKED_CHANNEL, stripped)
    const [warned, refused] = await logged()
    expect(refused).toMatchObject({
      method: 'POST',
      path: '/embed/hashlock/validate',
      status: 200,
      explanation: 'Refused: expired 90 s ago.',
      verdict: 'refused',
      answer: '{"valid":false}',
    })
    expect(refused?.body).toContain('ada')
    expect(refused?.body).not.toContain(JSON.parse(expired).at(-1).hash)
    expect(warned).toMatchObject({ verdict: 'warning', explanation: expect.stringMatching(/until.*UNIX time/) })
  })

  test('the log holds no secret, password or token of requests and responses', async () => {
    const { clients, users } = service.emulator.seed
    const client = clients[0]
    const user = users[0]
    const basic = Buffer.from(`${client?.client_id}:${client?.client_secret}`).toString('base64')
    const form = new URLSearchParams({
      grant_type: 'password',
      client_id: client?.client_id ?? '',
      client_secret: client?.client_secret ?? '',
      username: user?.username ?? '',
      password: user?.password ?? '',
    })
    const headers = { Authorization: `Basic ${basic}` }
    const granted = await service.request('/oauth2/token', { method: 'POST', body: form, headers })
    const { access_token } = (await granted.json()) as { access_token: string }
    const authorization = { Authorization: `Bearer ${access_token}` }
    const lock = new URLSearchParams({ url: 'https://login.example.com/', secret: 'a lock secret of mine' })
    const put = '/videos/2001/locks/hash.json'
    expect((await service.request(put, { method: 'PUT', body: lock, headers: authorization })).status).toBe(204)
    expect(await json(put, { headers: authorization })).toMatchObject({ hashlock: { secret: 'a lock secret of mine' } })
    const { playback } = await validate(service, OPEN_CHANNEL, null)
    await service.request(`/media/1002/video.webm?playback=${playback}`)
    const log = JSON.stringify(await logged())
    for (const secret of [client?.client_secret, user?.password, basic, access_token, 'a lock secret', playback]) {
      expect(log).not.toContain(secret)
    }
    expect(log).toContain(`Bearer ${access_token.slice(0, 4)}…`)
    expect(log).toContain('username=studio&password=•••')
  })

  test('the log holds the beginning of a report that is sent in chunks', async () => {
    const { client_id, client_secret } = service.emulator.seed.clients[0] ?? {}
    const granted = await service.request('/oauth2/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: `${client_id}`, token_type: 'jwt' }),
      headers: { Authorization: `Basic ${client_secret}` },
    })
    const { access_token } = (await granted.json()) as { access_token: string }
    await json('/v1/viewers', { headers: { Authorization: access_token } })
    const [report] = await logged()
    expect(report).toMatchObject({ path: '/v1/viewers', status: 200 })
    expect(report?.answer).toMatch(/^{"data":\[\],"pagination":{"count":0,/)
  })

  test('the log keeps 500 requests, newest first, and ?after=ID returns newer ones', async () => {
    for (let asked = 0; asked < 510; asked += 1) await service.request(`/embed/${asked + 1}`)
    const all = await logged()
    expect(all).toHaveLength(500)
    expect(all[0]).toMatchObject({ id: 510, path: '/embed/510', status: 404 })
    const { requests } = (await json('/emulator/requests?after=508')) as { requests: LoggedRequest[] }
    expect(requests.map(({ id }) => id)).toEqual([510, 509])
  })

  test('the log is a page in a browser, and escapes what it shows', async () => {
    await service.request('/embed/<script>alert(1)<%2Fscript>')
    const page = await service.request('/emulator/requests', { headers: { Accept: 'text/html,*/*;q=0.8' } })
    expect(page.headers.get('content-type')).toMatch('text/html')
    const html = await page.text()
    expect(html).toContain('/embed/')
    expect(html).not.toContain('<script>alert')
  })
})

describe('changes to the emulator', () => {
  test('pages of other sites cannot reset the emulator, set its clock or add faults', async () => {
    const paths = ['/emulator/reset', '/emulator/clock', '/emulator/faults']
    const origins: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
    ]
    for (const path of paths) {
      for (const headers of origins) {
        const answer = await service.request(path, { method: 'POST', headers })
        expect([path, headers, answer.status]).toEqual([path, headers, 403])
      }
    }
  })

  test('a form of the home page changes the clock and leads back to the page', async () => {
    const answer = await service.request('/emulator/clock', {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'same-origin', Origin: service.emulator.url, Accept: 'text/html' },
      body: new URLSearchParams({ advance_seconds: '60' }),
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    expect(await (await service.request('/')).text()).toMatch(/\b60 seconds ahead\b/)
  })

  test('a form of the home page stops the clock, and the page says that it stands still', async () => {
    const frozen = /<input type="hidden" name="frozen" value="(true|false)">/
    expect(frozen.exec(await (await service.request('/')).text())?.[1]).toBe('true')
    await service.request('/emulator/clock', { method: 'POST', body: new URLSearchParams({ frozen: 'true' }) })
    const page = await (await service.request('/')).text()
    expect([frozen.exec(page)?.[1], page.includes('stands still')]).toEqual(['false', true])
  })
})
