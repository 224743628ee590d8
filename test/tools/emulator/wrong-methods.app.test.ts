import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from './player/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.close())

const page = 'GET, HEAD'

describe('wrong methods', () => {
  test.each([
    ['/', page],
    ['/channel/1001', page],
    ['/video/2001', page],
    ['/embed/1001', page],
    ['/embed/recorded/2001', page],
    ['/embed/hashlock/pass', page],
    ['/embed/hashlock/validate', 'POST'],
    ['/embed/views/start', 'POST'],
    ['/embed/views/heartbeat', 'POST'],
    ['/embed/views/end', 'POST'],
    ['/media/1001/video.webm', page],
    ['/media/recorded/2001/video.webm', page],
    ['/chat/1001', page],
    ['/chat/recorded/2001', page],
    ['/chat/authorize/1001', page],
    ['/chat/1001/messages', 'GET, HEAD, POST'],
    ['/qna/1001', page],
    ['/qna/1001/messages', 'GET, HEAD, POST'],
    ['/combined/1001', page],
    ['/viewer-auth-public-key.json', page],
    ['/emulator/seed', page],
    ['/emulator/requests', page],
    ['/emulator/reset', 'POST'],
    ['/emulator/clock', 'GET, HEAD, PUT, POST'],
    ['/emulator/faults', 'GET, HEAD, POST, DELETE'],
    ['/emulator/faults/1', 'DELETE'],
    ['/emulator/service-keys', 'GET, HEAD, POST'],
  ])('%s allows %s and answers 405 to other methods', async (path, allowed) => {
    for (const method of ['PATCH', 'DELETE', 'PUT'].filter((other) => !allowed.split(', ').includes(other))) {
      const answer = await service.request(path, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed])
      expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
    }
  })
})
