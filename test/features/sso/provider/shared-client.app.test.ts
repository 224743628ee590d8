import { generateKeyPairSync } from 'node:crypto'
import { exportJWK } from 'jose'
import { expect, test } from 'vitest'
import { entryPointAt } from '../../../login/entry-point.ts'
import { withSso } from '../entry-point.ts'
import { finishWindow, openWindow, startSso } from '../start-sso.ts'
import { startWithoutUserInfo } from './without-user-info.ts'

test('entry points with one key and another algorithm each use their own', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), use: 'sig' }] }
  const app = await startSso({
    provider: {
      client: { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'PS256', jwks },
    },
    entryPointsWith: (sso) =>
      (['RS256', 'PS256'] as const).map((algorithm) => {
        const authentication = { kind: 'key', privateKey, certificate: null, algorithm } as const
        return withSso({ ...sso, authentication }, entryPointAt(algorithm.toLowerCase()))
      }),
  })
  const statusAt = async (path: string) => (await finishWindow(app, await openWindow(app, path))).status
  expect([await statusAt('/e/rs256'), await statusAt('/e/ps256')]).toEqual([503, 200])
})

test('entry points that share a client ask for groups if one of them has OIDC_GROUPS_CLAIM', async () => {
  const { app, asked } = await startWithoutUserInfo({
    provider: { signsIn: 'bob' },
    entryPointsWith: (sso) => [
      withSso(sso, entryPointAt('one')),
      withSso({ ...sso, needsGroups: true }, entryPointAt('two')),
    ],
  })
  expect((await finishWindow(app, await openWindow(app, '/e/two'))).status).toBe(200)
  expect(asked()).toBe(1)
})
