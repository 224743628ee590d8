import { expect, test } from 'vitest'
import { createRestApi } from '../../../src/tools/video-service/rest-api.ts'
import type { ApiCredential } from '../../../src/tools/video-service/service-settings.ts'

const TOKEN = 'ab'.repeat(20)
const BEARER = { type: 'bearer', value: TOKEN } as const
const MAC = { type: 'mac', mac: { id: TOKEN, key: TOKEN } } as const

test.each<[ApiCredential, 'standard' | 'bare', RegExp]>([
  [BEARER, 'standard', new RegExp(`^Bearer ${TOKEN}$`)],
  [BEARER, 'bare', new RegExp(`^${TOKEN}$`)],
  [MAC, 'bare', new RegExp(`^MAC id="${TOKEN}", ts="9", `)],
])('a request with the token %j in the form %s has the header %s', async (token, bearerForm, header) => {
  const headers: unknown[] = []
  const api = createRestApi({
    settings: { baseUrl: 'https://service.example', bearerForm },
    send: (request) => {
      headers.push(request.headers?.Authorization)
      return Promise.resolve({ status: 200, contentType: '', body: '' })
    },
    token: () => Promise.resolve(token),
    nowSeconds: () => 9.5,
  })
  await api({ method: 'GET', path: '/users/self/channels.json' })
  expect(headers).toEqual([expect.stringMatching(header)])
})
