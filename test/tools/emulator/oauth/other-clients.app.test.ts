import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretBasic,
  clientCredentialsGrantRequest,
  genericTokenEndpointRequest,
  nopkce,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
  protectedResourceRequest,
  ResponseBodyError,
  validateAuthResponse,
} from 'oauth4webapi'
import { AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from 'simple-oauth2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { openVisitor } from './visitor.ts'

/** OAuth libraries against the emulator as a customer starts it. */
let emulator: RunningEmulator
let client: RunningEmulator['seed']['clients'][number]
let user: RunningEmulator['seed']['users'][number]
let redirectUri: string

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  const [firstClient, firstUser] = [emulator.seed.clients[0], emulator.seed.users[0]]
  if (firstClient === undefined || firstUser === undefined) throw new Error('The seed has no client or no user')
  client = firstClient
  user = firstUser
  redirectUri = client.redirect_uri_prefix.replace('127.0.0.1', '127.0.0.1:54321')
})
afterAll(() => emulator.close())

/** Signs in and decides, as a user would. Returns the last redirect. */
async function allow(authorizeUrl: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const visitor = openVisitor(emulator.url)
  const page = await visitor.get(authorizeUrl.slice(emulator.url.length))
  const signedIn = await visitor.submit(page, { username: user.username, password: user.password })
  const answer = await visitor.submit(await visitor.get(signedIn.location ?? ''), { decision })
  return answer.location ?? ''
}

async function channelsSeenWith(accessToken: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${emulator.url}/users/self/channels.json`, { headers })).status
}

describe('simple-oauth2', () => {
  const options = () => ({
    client: { id: client.client_id, secret: client.client_secret },
    auth: { tokenHost: emulator.url, tokenPath: '/oauth2/token' },
  })
  const codeFlow = () => {
    const { client, auth } = options()
    return new AuthorizationCode({ client, auth: { ...auth, authorizePath: '/authorize' } })
  }

  test('simple-oauth2 completes the authorization code flow', async () => {
    const flow = codeFlow()
    const state = 'a state + more'
    const location = await allow(flow.authorizeURL({ redirect_uri: redirectUri, state }))
    const result = new URL(location).searchParams
    expect(result.get('state')).toBe(state)
    const code = result.get('code') ?? ''
    const { token } = await flow.getToken({ code, redirect_uri: redirectUri, client_id: client.client_id })
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 86_400 })
    expect(await channelsSeenWith(token.access_token)).toBe(200)
  })

  test('simple-oauth2 completes the resource owner password credentials flow', async () => {
    const flow = new ResourceOwnerPassword(options())
    const accessToken = await flow.getToken({
      username: user.username,
      password: user.password,
      client_id: client.client_id,
      client_secret: client.client_secret,
    })
    expect(accessToken.expired()).toBe(false)
    expect(await channelsSeenWith(accessToken.token.access_token)).toBe(200)
  })

  test('simple-oauth2 completes the client credentials flow', async () => {
    const { token } = await new ClientCredentials(options()).getToken({ client_id: client.client_id })
    expect(await channelsSeenWith(token.access_token)).toBe(200)
  })

  test('simple-oauth2 gets a JWT for the analytics API', async () => {
    const { token } = await new ClientCredentials(options()).getToken({
      client_id: client.client_id,
      token_type: 'jwt',
    })
    expect(token).toMatchObject({ token_type: 'jwt', access_token: expect.stringMatching(/^eyJ/) })
  })

  test('simple-oauth2 reports the name of an error', async () => {
    const wrong = { ...options(), client: { id: client.client_id, secret: 'f'.repeat(40) } }
    const asked = new ClientCredentials(wrong).getToken({ client_id: client.client_id })
    await expect(asked).rejects.toMatchObject({ data: { payload: { error: 'invalid_client' } } })
  })

  test('credentials in the form instead of the header are refused', async () => {
    const inForm = { ...options(), options: { authorizationMethod: 'body' as const } }
    const asked = new ClientCredentials(inForm).getToken({})
    await expect(asked).rejects.toMatchObject({ data: { payload: { error: 'invalid_client' } } })
  })

  test('a refresh gets 501, because the documents have no refresh grant', async () => {
    const flow = codeFlow()
    const code = new URL(await allow(flow.authorizeURL({ redirect_uri: redirectUri }))).searchParams.get('code') ?? ''
    const accessToken = await flow.getToken({ code, redirect_uri: redirectUri, client_id: client.client_id })
    await expect(accessToken.refresh()).rejects.toMatchObject({ output: { statusCode: 501 } })
  })
})

describe('oauth4webapi', () => {
  const server = (): AuthorizationServer => ({
    issuer: emulator.url,
    authorization_endpoint: `${emulator.url}/authorize`,
    token_endpoint: `${emulator.url}/oauth2/token`,
  })
  const us = (): Client => ({ client_id: client.client_id })
  const basic = () => ClientSecretBasic(client.client_secret)
  const overHttp = { [allowInsecureRequests]: true }

  async function authorize(decision: 'allow' | 'deny'): Promise<URL> {
    const url = new URL(`${emulator.url}/authorize`)
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      state: 'f00',
    }).toString()
    return new URL(await allow(url.href, decision))
  }

  test('oauth4webapi completes the authorization code flow and calls the API', async () => {
    const callback = validateAuthResponse(server(), us(), await authorize('allow'), 'f00')
    const response = await authorizationCodeGrantRequest(server(), us(), basic(), callback, redirectUri, nopkce, {
      ...overHttp,
      additionalParameters: { client_id: client.client_id },
    })
    const tokens = await processAuthorizationCodeResponse(server(), us(), response)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 86_400, refresh_token: expect.any(String) })
    const channels = new URL(`${emulator.url}/users/self/channels.json`)
    const answer = await protectedResourceRequest(tokens.access_token, 'GET', channels, undefined, null, overHttp)
    expect(answer.status).toBe(200)
  })

  test('oauth4webapi recognizes a denial', async () => {
    const denied = await authorize('deny')
    expect(() => validateAuthResponse(server(), us(), denied, 'f00')).toThrow(
      expect.objectContaining({ error: 'access_denied' }),
    )
  })

  test('oauth4webapi completes the client credentials flow', async () => {
    const parameters = { client_id: client.client_id }
    const response = await clientCredentialsGrantRequest(server(), us(), basic(), parameters, overHttp)
    const tokens = await processClientCredentialsResponse(server(), us(), response)
    expect(await channelsSeenWith(tokens.access_token)).toBe(200)
  })

  test('oauth4webapi gets a MAC token', async () => {
    const parameters = { client_id: client.client_id, token_type: 'mac', scope: 'broadcaster' }
    const response = await clientCredentialsGrantRequest(server(), us(), basic(), parameters, overHttp)
    const recognizedTokenTypes = { mac: () => undefined }
    const tokens = await processClientCredentialsResponse(server(), us(), response, { recognizedTokenTypes })
    expect(tokens).toMatchObject({ token_type: 'mac', mac_algorithm: 'hmac-sha-1', mac_key: expect.any(String) })
  })

  test('oauth4webapi completes the resource owner password credentials flow', async () => {
    const { username, password } = user
    const parameters = { client_id: client.client_id, client_secret: client.client_secret, username, password }
    const response = await genericTokenEndpointRequest(server(), us(), basic(), 'password', parameters, overHttp)
    const tokens = await processGenericTokenEndpointResponse(server(), us(), response)
    expect(await channelsSeenWith(tokens.access_token)).toBe(200)
  })

  test('oauth4webapi recognizes an error', async () => {
    const parameters = { client_id: client.client_id }
    const wrong = ClientSecretBasic('f'.repeat(40))
    const response = await clientCredentialsGrantRequest(server(), us(), wrong, parameters, overHttp)
    const processed = processClientCredentialsResponse(server(), us(), response)
    await expect(processed).rejects.toBeInstanceOf(ResponseBodyError)
    await expect(processed).rejects.toMatchObject({ error: 'invalid_client', status: 400 })
  })
})
