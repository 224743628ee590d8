import { beforeEach, describe, expect, test } from 'vitest'
import { listenOnLoopback } from '../../../src/tools/cli/service/token/redirect-receiver.ts'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { type AccessToken, requestToken, type TokenQuestion } from '../../../src/tools/video-service/access-token.ts'
import {
  authorizationAddress,
  newState,
  readCode,
  readImplicitToken,
} from '../../../src/tools/video-service/authorization-page.ts'
import { listChannels } from '../../../src/tools/video-service/channels.ts'
import { createRestApi } from '../../../src/tools/video-service/rest-api.ts'
import type { ServiceSettings } from '../../../src/tools/video-service/service-settings.ts'
import { openVisitor } from '../../tools/emulator/oauth/visitor.ts'
import { addFault, emulatorOfTest, nowSeconds, send, settingsFor } from './client.ts'

let emulator: RunningEmulator
let settings: ServiceSettings
beforeEach(async () => {
  emulator = await emulatorOfTest()
  settings = settingsFor(emulator)
})

function ask(question: TokenQuestion, changed: Partial<ServiceSettings> = {}) {
  return requestToken({ settings: { ...settings, ...changed }, send, nowSeconds }, question)
}

/** The titles of the channels that the token gives access to. */
async function titles(token: AccessToken): Promise<string[]> {
  const api = createRestApi({ settings, send, token: () => Promise.resolve(token), nowSeconds })
  return (await listChannels(api)).map(({ title }) => title)
}

const OWN = ['Town hall', 'Open studio']

describe('a token', () => {
  test.each([
    ['bearer', 'standard'],
    ['bearer', 'bare'],
    ['mac', 'standard'],
  ] as const)(
    'a %s token by client credentials in the %s form gives access to the channels',
    async (type, basicForm) => {
      const token = await ask({ grant: 'client_credentials', type }, { basicForm })
      expect(token).toMatchObject({ type })
      expect(Math.abs(token.expiresAtSeconds - nowSeconds() - 86_400)).toBeLessThan(30)
      expect(await titles(token)).toEqual(OWN)
    },
  )

  test('a jwt token has three parts', async () => {
    const token = await ask({ grant: 'client_credentials', type: 'jwt' })
    expect(token).toMatchObject({ type: 'jwt', value: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) })
  })

  test.each(['bearer', 'mac'] as const)('a %s token is issued for a user name and password', async (type) => {
    const { username, password } = emulator.seed.users[0] ?? { username: '', password: '' }
    expect(await titles(await ask({ grant: 'password', type, username, password }))).toEqual(OWN)
  })

  test('the scope broadcaster gives a MAC token', async () => {
    const deps = { settings, send, nowSeconds }
    const question = { grant: 'client_credentials', type: 'mac' } as const
    expect(await requestToken(deps, question, { scope: 'broadcaster' })).toMatchObject({ type: 'mac' })
  })
})

describe('the authorization page', () => {
  /** Signs in and decides, as a browser; follows the redirect to the listener. */
  async function decide(address: string, decision: 'allow' | 'deny'): Promise<void> {
    const visitor = openVisitor(emulator.url)
    const { username = '', password = '' } = emulator.seed.users[0] ?? {}
    const signedIn = await visitor.submit(await visitor.get(address.slice(emulator.url.length)), { username, password })
    const asked = await visitor.get(signedIn.location ?? '')
    const { location } = await visitor.submit(asked, { decision })
    expect((await fetch(location ?? '')).status).toBe(200)
  }

  async function redirected(responseType: 'code' | 'token', decision: 'allow' | 'deny', tokenType?: 'mac') {
    const listener = await listenOnLoopback()
    try {
      const state = newState()
      const { redirectUri } = listener
      const asked = { responseType, redirectUri, state, ...(tokenType === undefined ? {} : { tokenType }) }
      const arrived = listener.redirected(state, AbortSignal.timeout(15_000))
      await decide(authorizationAddress(settings, asked), decision)
      return { redirect: await arrived, state, redirectUri }
    } finally {
      listener.close()
    }
  }

  test('an authorization code is exchanged for a token once', async () => {
    const { redirect, state, redirectUri } = await redirected('code', 'allow')
    const question = { grant: 'authorization_code', code: readCode(redirect, state), redirectUri } as const
    expect(await titles(await ask(question))).toEqual(OWN)
    await expect(ask(question)).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
  })

  test.each([undefined, 'mac'] as const)(
    'the authorization page issues a token in the implicit flow (type: %s)',
    async (tokenType) => {
      const { redirect, state } = await redirected('token', 'allow', tokenType)
      expect(await titles(readImplicitToken(redirect, state, nowSeconds()))).toEqual(OWN)
    },
  )

  test('Deny on the authorization page is reported', async () => {
    const { redirect, state } = await redirected('code', 'deny')
    expect(() => readCode(redirect, state)).toThrow('denied')
  })
})

describe('the errors of the token endpoint', () => {
  const WRONG = 'ab'.repeat(20)
  test('a wrong secret and an unknown client fail with invalid_client', async () => {
    const question = { grant: 'client_credentials', type: 'bearer' } as const
    const expected = { name: 'ServiceRefusal', error: 'invalid_client', status: 400 }
    await expect(ask(question, { clientSecret: WRONG })).rejects.toMatchObject(expected)
    await expect(ask(question, { clientId: WRONG })).rejects.toMatchObject(expected)
  })

  test('an unknown code and a wrong password fail with invalid_grant', async () => {
    const expected = { error: 'invalid_grant', status: 400 }
    const redirectUri = 'http://127.0.0.1:5000/callback'
    await expect(ask({ grant: 'authorization_code', code: WRONG, redirectUri })).rejects.toMatchObject(expected)
    const wrong = { grant: 'password', type: 'bearer', username: 'studio', password: 'wrong' } as const
    await expect(ask(wrong)).rejects.toMatchObject(expected)
  })

  test('a missing parameter fails with invalid_request', async () => {
    const question = { grant: 'password', type: 'bearer', username: '', password: 'x' } as const
    await expect(ask(question)).rejects.toMatchObject({ error: 'invalid_request', status: 400 })
  })

  test('unsupported_grant_type and server_error are passed on', async () => {
    const question = { grant: 'client_credentials', type: 'bearer' } as const
    await addFault(emulator, { path: '/oauth2/token', status: 501, body: { error: 'unsupported_grant_type' } })
    await expect(ask(question)).rejects.toMatchObject({ error: 'unsupported_grant_type', status: 501 })
    await addFault(emulator, { path: '/oauth2/token', status: 503, count: 3 })
    await expect(ask(question)).rejects.toMatchObject({ error: 'server_error', status: 503 })
    await addFault(emulator, { path: '/oauth2/token', status: 503, count: 2 })
    await expect(ask(question)).resolves.toMatchObject({ type: 'bearer' })
  })
})
