import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Service, startService } from '../player/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
})
beforeEach(() => service.request('/emulator/faults', { method: 'DELETE' }))
afterAll(() => service.close())

async function json(path: string): Promise<unknown> {
  return (await service.request(path)).json()
}

describe('/emulator/faults', () => {
  test('a fault answers the chosen number of requests with its status, in the error format of the endpoint', async () => {
    const added = await service.post('/emulator/faults', {
      path: '/oauth2/token',
      method: 'POST',
      status: 503,
      count: 2,
    })
    expect(added.status).toBe(201)
    expect(await added.json()).toMatchObject({ id: expect.any(Number), remaining: 2 })
    const token = () => service.post('/oauth2/token', {})
    const first = await token()
    expect([first.status, await first.json()]).toEqual([503, { error: 'server_error' }])
    expect(first.headers.get('retry-after')).toBe('1')
    expect((await service.request('/oauth2/token')).status).not.toBe(503)
    expect((await token()).status).toBe(503)
    expect((await token()).status).not.toBe(503)
    expect(await json('/emulator/faults')).toEqual({ faults: [] })
  })

  test('a fault can have its own body, and a path with "*" at the end', async () => {
    await service.post('/emulator/faults', { path: '/v1/*', status: 429, count: 1 })
    const limited = await service.request('/v1/viewers')
    expect([limited.status, await limited.json()]).toEqual([429, { errors: [{ message: expect.any(String) }] }])
    await service.post('/emulator/faults', { path: '/channels/*', status: 500, body: { odd: [1] } })
    expect(await json('/channels/1/locks/hash.json')).toEqual({ odd: [1] })
    await service.post('/emulator/faults', { path: '/channels/1/locks/hash.xml', status: 500 })
    const broken = await service.request('/channels/1/locks/hash.xml')
    expect([broken.status, broken.headers.get('content-type')]).toEqual([500, 'application/xml; charset=utf-8'])
    expect(await broken.text()).toMatch(/^<\?xml [^>]*>\s*<response>\s*<error>server_error<\/error>/)
  })

  test('a fault can delay the real response, or hang up', async () => {
    await service.post('/emulator/faults', { path: '/embed/1001', delay_ms: 150 })
    const startedMs = performance.now()
    expect((await service.request('/embed/1001')).status).toBe(200)
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(145)
    await service.post('/emulator/faults', { path: '/embed/1001', hang_up: true })
    await expect(service.request('/embed/1001')).rejects.toThrow('fetch failed')
  })

  test('a fault can delay a response by three minutes, and the emulator stops without waiting for it', async () => {
    const other = await startService()
    const added = await other.post('/emulator/faults', { path: '/embed/1001', delay_ms: 180_000 })
    expect(added.status).toBe(201)
    const delayed = other.request('/embed/1001').catch(() => 'closed')
    await expect.poll(async () => (await other.request('/emulator/faults')).json()).toEqual({ faults: [] })
    await other.close()
    expect(await delayed).toBe('closed')
  })

  test('DELETE removes one fault, or all', async () => {
    const ids: number[] = []
    for (const path of ['/a', '/b', '/c']) {
      const added = await service.post('/emulator/faults', { path, status: 500 })
      ids.push(((await added.json()) as { id: number }).id)
    }
    expect((await service.request(`/emulator/faults/${ids[1]}`, { method: 'DELETE' })).status).toBe(200)
    expect((await service.request(`/emulator/faults/${ids[1]}`, { method: 'DELETE' })).status).toBe(404)
    expect(await json('/emulator/faults')).toMatchObject({ faults: [{ path: '/a' }, { path: '/c' }] })
    await service.request('/emulator/faults', { method: 'DELETE' })
    expect(await json('/emulator/faults')).toEqual({ faults: [] })
  })

  test.each([
    [{ path: '/x' }],
    [{ path: 'x', status: 500 }],
    [{ path: '/a*b', status: 500 }],
    [{ path: '/x', status: 200 }],
    [{ path: '/x', status: 600 }],
    [{ path: '/x', delay_ms: 180_001 }],
    [{ path: '/x', status: 500, count: 0 }],
    [{ path: '/x', status: 500, method: 'TRACE' }],
    [{ path: '/x', status: 500, unknown: 1 }],
    [{ path: '/emulator/reset', status: 500 }],
    [{ path: '/', status: 500 }],
    [{ path: '/assets/gate.js', status: 500 }],
    [{ path: '/x', hang_up: false }],
    [null],
  ])('the fault %j is refused', async (fault) => {
    expect((await service.post('/emulator/faults', fault)).status).toBe(400)
    expect(await json('/emulator/faults')).toEqual({ faults: [] })
  })

  test('a fault for "/*" spares the pages that remove faults', async () => {
    await service.post('/emulator/faults', { path: '/*', status: 500, count: 50 })
    expect((await service.request('/emulator/faults')).status).toBe(200)
    expect((await service.request('/')).status).toBe(200)
    expect((await service.request('/embed/1001')).status).toBe(500)
  })
})
