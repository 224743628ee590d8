import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { CONTENT_KEY } from '../token/viewer-token/jwcrypto-vectors.ts'

const read = (environment: object) => readConfig({ ...SETTINGS, ...environment })

test('an entry point without a number has no limit', () => {
  expect(read({}).entryPoints[0]?.features).not.toHaveProperty('screen-limit')
})

test('the number of screens is read, with the lifetime of a response', () => {
  const { entryPoints } = read({ SCREENS_PER_VIEWER: '2', HASH_LIFETIME_SECONDS: '600' })
  expect(entryPoints[0]?.features['screen-limit']).toEqual({ most: 2, asks: false, lifetimeSeconds: 600 })
})

test('SCREENS=ask needs a number of screens', () => {
  expect(read({ SCREENS_PER_VIEWER: '1', SCREENS: 'ask' }).entryPoints[0]?.features['screen-limit']).toMatchObject({
    asks: true,
  })
  expect(mistakesIn({ ...SETTINGS, SCREENS: 'ask' })).toEqual(['SCREENS needs SCREENS_PER_VIEWER'])
})

test('screens cannot be counted if responses never expire', () => {
  const mistakes = mistakesIn({ ...SETTINGS, SCREENS_PER_VIEWER: '1', HASH_LIFETIME_SECONDS: '0' })
  expect(mistakes).toEqual([expect.stringMatching(/^SCREENS_PER_VIEWER works only with a hash that expires/)])
})

test('screens cannot be counted with tokens, since the player does not ask again', () => {
  const { HASH_SECRET: _secret, PLAYER_RETURN_URL: _url, ...common } = SETTINGS
  const tokens = {
    VIEWER_AUTH: 'token',
    CONTENT_KEY: CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' }).toString(),
    SERVICE_VIEWER_KEY_URL: 'https://api.example/viewer-auth-public-key.json',
    REF_ADDRESSES: 'https://player.example/embed/1002',
  }
  const mistakes = mistakesIn({ ...common, ...tokens, SCREENS_PER_VIEWER: '1' })
  expect(mistakes).toEqual([expect.stringMatching(/^SCREENS_PER_VIEWER works only with a hash that expires/)])
})

test.each([
  ['900', 0],
  ['901', 1],
])('with a lifetime of %s s, the start gives %i warnings', (HASH_LIFETIME_SECONDS, count) => {
  const { warnings } = read({ SCREENS_PER_VIEWER: '1', HASH_LIFETIME_SECONDS })
  expect(warnings.filter((text) => text.includes('lost its place watches on'))).toHaveLength(count)
})
