import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { OLDER_KEY, OLDER_KID, tokensOfJwcrypto } from '../../../features/token/viewer-token/jwcrypto-tokens.ts'
import { ISSUED_AT } from '../../../features/token/viewer-token/jwcrypto-vectors.ts'
import { explanationOf, newestRequest, startTokenService, type TokenService } from './token-service.ts'

/** The tokens come from Python's jwcrypto, which stands for the backend of a customer. */

const { good, oldest, refused } = tokensOfJwcrypto()

let service: TokenService
beforeAll(async () => {
  service = await startTokenService()
  const pem = OLDER_KEY.export({ type: 'pkcs8', format: 'pem' }).toString()
  service.database
    .prepare(
      'INSERT INTO service_keys (kid, private_key, created_at_seconds, accepted_until_seconds) VALUES (?, ?, ?, ?)',
    )
    .run(OLDER_KID, pem, ISSUED_AT - 3600, ISSUED_AT + 3600)
})
beforeEach(() => {
  service.clear()
  service.lock('live', 1001)
})
afterAll(() => service.close())

async function statusOf(path: string, token: string): Promise<number> {
  return (await service.request(`${path}?vt=${token}`)).status
}

test('a token that jwcrypto built opens each component once, and no component twice', async () => {
  const paths = ['/embed/1001', '/embed/1001', '/chat/1001', '/chat/1001', '/qna/1001', '/qna/1001', '/combined/1001']
  const statuses: number[] = []
  for (const path of paths) statuses.push(await statusOf(path, good))
  expect(statuses).toEqual([200, 302, 200, 302, 200, 302, 302])
  expect(await statusOf('/embed/1001', oldest)).toBe(200)
})

test.each(refused)('a token $name opens nothing, and the log has the reason', async ({ token, reason }) => {
  for (const path of ['/embed/1001', '/chat/1001', '/combined/1001']) {
    expect(await statusOf(path, token)).toBe(302)
    expect(await newestRequest(service)).toMatchObject({
      verdict: 'refused',
      explanation: expect.stringContaining(explanationOf(reason)),
    })
  }
  const log = await (await service.request('/emulator/requests')).text()
  expect(log).not.toContain(token.slice(0, 16))
})
