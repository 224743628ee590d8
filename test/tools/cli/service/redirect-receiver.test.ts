import { expect, test } from 'vitest'
import {
  faultInRedirectUri,
  listenOnLoopback,
} from '../../../../src/tools/cli/service/access-token/redirect-receiver.ts'
import { newState, readCode } from '../../../../src/tools/video-service/authorization-page.ts'
import { AuthorizationFailed } from '../../../../src/tools/video-service/service-errors.ts'
import { closedAddress, startService } from '../../video-service/test-service.ts'

const HASH = 'ab'.repeat(20)

test.each([
  ['https://www.example.com/signed-in?a=1', true],
  ['http://localhost:8080/cb', true],
  ['http://[::1]:0/', true],
  ['com.example.app:/cb', true],
  ['http://www.example.com/cb', false],
  ['https://user@www.example.com/', false],
  ['https://www.example.com/#a', false],
  ['javascript:alert(1)', false],
  ['/callback', false],
  ['https://www.example.com/a b', false],
])('%s can be a redirect address: %s', (address, isAccepted) => {
  expect(faultInRedirectUri(address) === null).toBe(isAccepted)
})

test('the listener accepts the redirect with our state, and answers 404 to everything else', async () => {
  const listener = await listenOnLoopback()
  try {
    const state = newState()
    expect(listener.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    const redirected = listener.redirected(state, AbortSignal.timeout(10_000))
    const status = async (url: string, method = 'GET') => (await fetch(url, { method })).status
    expect(await status(`${listener.redirectUri}?code=${HASH}&state=${newState()}`)).toBe(404)
    expect(await status(`${listener.redirectUri}?code=${HASH}&state=${state}`, 'POST')).toBe(404)
    expect(await status(new URL('/favicon.ico', listener.redirectUri).href)).toBe(404)
    expect(await status(`${listener.redirectUri}?code=${HASH}&state=${state}`)).toBe(200)
    expect(readCode(await redirected, state)).toBe(HASH)
  } finally {
    listener.close()
  }
})

test('the listener receives a redirect on the path, host and port of the address', async () => {
  const { port } = await closedAddress()
  for (const address of [`http://localhost:${port}/cb?a=1`, 'http://[::1]:0/cb']) {
    const listener = await listenOnLoopback(address)
    const { redirectUri } = listener
    expect(redirectUri).toMatch(address.endsWith(':0/cb') ? /^http:\/\/\[::1\]:[1-9]\d+\/cb$/ : address)
    const redirected = listener.redirected('s', AbortSignal.timeout(10_000))
    const get = async (url: string) => (await fetch(url)).status
    expect(await get(`${new URL(redirectUri).origin}/cb/more?state=s`)).toBe(404)
    const separator = redirectUri.includes('?') ? '&' : '?'
    expect(await get(`${redirectUri}${separator}code=${HASH}&state=s`)).toBe(200)
    expect(readCode(await redirected, 's')).toBe(HASH)
    listener.close()
  }
})

test('a port that is in use is reported', async () => {
  const { origin } = await startService((_req, res) => res.end())
  await expect(listenOnLoopback(`${origin}/cb`)).rejects.toThrow(AuthorizationFailed)
})

test('the listener stops waiting when it is aborted', async () => {
  const listener = await listenOnLoopback()
  const stop = new AbortController()
  const redirected = listener.redirected('s', stop.signal)
  stop.abort(new Error('enough'))
  await expect(redirected).rejects.toThrow('enough')
  listener.close()
})
