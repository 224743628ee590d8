import { expect, test } from 'vitest'
import { readServiceSettings } from '../../../src/tools/cli/settings/video-service/read-service-settings.ts'
import {
  isSafeAddress,
  SERVICE_SECRETS,
  ServiceEnvironment,
} from '../../../src/tools/video-service/service-settings.ts'

test.each([
  ['https://api.service.example', true],
  ['https://api.service.example/v1/', true],
  ['http://127.0.0.1:4000', true],
  ['http://[::1]:4000', true],
  ['http://localhost', true],
  ['http://api.service.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['http://10.0.0.1', false],
  ['https://user:secret@service.example', false],
  ['https://service.example/?token=1', false],
  ['ftp://service.example', false],
  ['service.example', false],
])('%s is safe for credentials: %s', (address, isSafe) => {
  expect(isSafeAddress(address)).toBe(isSafe)
})

const ID = 'ab'.repeat(20)
const KEY = 'cd'.repeat(20)
const ADDRESS = 'https://service.example/v1//'
const GIVEN = {
  SERVICE_AUTH_URL: ADDRESS,
  SERVICE_OAUTH_URL: ADDRESS,
  SERVICE_BASE_URL: ADDRESS,
  SERVICE_ANALYTICS_URL: ADDRESS,
  SERVICE_CLIENT_ID: ID,
  SERVICE_CLIENT_SECRET: ID,
}

test('addresses lose their trailing slash, and both forms of a header are standard by default', () => {
  expect(ServiceEnvironment.parse(GIVEN)).toMatchObject({
    analyticsUrl: 'https://service.example/v1',
    basicForm: 'standard',
    bearerForm: 'standard',
    accessToken: null,
  })
})

test.each([
  [{ SERVICE_ACCESS_TOKEN: ID }, { type: 'bearer', value: ID }],
  [
    { SERVICE_ACCESS_TOKEN: ID, SERVICE_MAC_KEY: KEY },
    { type: 'mac', mac: { id: ID, key: KEY } },
  ],
])('the settings %j give a token', (given, accessToken) => {
  expect(ServiceEnvironment.parse({ ...GIVEN, ...given })).toMatchObject({ accessToken })
})

test.each([
  [{ SERVICE_MAC_KEY: KEY }, 'SERVICE_MAC_KEY'],
  [{ SERVICE_ACCESS_TOKEN: 'eyJ.eyJ.x' }, 'SERVICE_ACCESS_TOKEN'],
  [{ SERVICE_BEARER_FORM: 'basic' }, 'SERVICE_BEARER_FORM'],
])('the settings %j are refused', (given, name) => {
  const issues = ServiceEnvironment.safeParse({ ...GIVEN, ...given }).error?.issues.map(({ path }) => path)
  expect(issues).toEqual([[name]])
})

test.each(SERVICE_SECRETS)('%s of the video service with a comment behind it is refused', (name) => {
  expect(() => readServiceSettings({ [name]: `${KEY} # note` })).toThrow(`${name} contains a comment`)
})
