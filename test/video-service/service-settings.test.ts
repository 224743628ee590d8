import { expect, test } from 'vitest'
import { isSafeAddress, ServiceEnvironment } from '../../src/video-service/service-settings.ts'

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

test('addresses lose their trailing slash, and the Basic form is standard by default', () => {
  const id = 'ab'.repeat(20)
  const address = 'https://service.example/v1//'
  const settings = ServiceEnvironment.parse({
    SERVICE_AUTH_URL: address,
    SERVICE_OAUTH_URL: address,
    SERVICE_BASE_URL: address,
    SERVICE_ANALYTICS_URL: address,
    SERVICE_CLIENT_ID: id,
    SERVICE_CLIENT_SECRET: id,
  })
  expect(settings).toMatchObject({ analyticsUrl: 'https://service.example/v1', basicForm: 'standard' })
})
