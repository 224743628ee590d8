import { expect, test } from 'vitest'
import { readHttpStoreSettings } from '../../../src/users/http/settings.ts'

const URL_OF_SIGN_IN = 'https://users.example.com/sign-in?tenant=1'
const REQUIRED = { PUBLIC_URL: 'https://login.example.com', HTTP_STORE_TOKEN: 'credential+/=~' }

function mistakesOf(url: string, more: Record<string, string | undefined> = {}): string[] {
  const reading = readHttpStoreSettings(url, { ...REQUIRED, ...more })
  return reading.ok ? [] : reading.mistakes.map(({ setting, message }) => `${setting} ${message}`)
}

test('a login service needs only its address and a token', () => {
  expect(readHttpStoreSettings(URL_OF_SIGN_IN, REQUIRED)).toEqual({
    ok: true,
    settings: {
      kind: 'http',
      url: URL_OF_SIGN_IN,
      findUrl: null,
      token: REQUIRED.HTTP_STORE_TOKEN,
      timeoutMs: 5000,
      ca: null,
    },
  })
})

test('the look-up address and the timeout of a login service can be set', () => {
  const more = { HTTP_STORE_FIND_URL: 'https://users.example.com/find', HTTP_STORE_TIMEOUT_SECONDS: '2' }
  expect(readHttpStoreSettings(URL_OF_SIGN_IN, { ...REQUIRED, ...more })).toMatchObject({
    settings: { findUrl: 'https://users.example.com/find', timeoutMs: 2000 },
  })
})

test('plain http is accepted only if the login service and the app are on this machine', () => {
  const onLaptop = { PUBLIC_URL: 'http://localhost:3000' }
  const addresses = ['http://127.0.0.1:8080/sign-in', 'http://localhost/sign-in', 'http://[::1]/sign-in']
  for (const url of addresses) {
    expect(mistakesOf(url, { ...onLaptop, HTTP_STORE_FIND_URL: url })).toEqual([])
    expect(mistakesOf(url, { HTTP_STORE_FIND_URL: url })).toEqual([
      expect.stringMatching(/^USER_STORE_URL must be https/),
      expect.stringMatching(/^HTTP_STORE_FIND_URL must be https/),
    ])
  }
  for (const url of ['http://users.example.com/', 'http://127.0.0.1.example.com/', 'http://localhost.evil.example/']) {
    expect(mistakesOf(url, onLaptop)).toEqual([expect.stringContaining('USER_STORE_URL must be https')])
  }
})

test.each([
  'https:',
  'https://',
  'https://ada:MARKER@users.example.com/',
  'https://users.example.com/#MARKER',
  'https://users.example.com:0/',
  'https://a.example,MARKER.example/',
  'https://./',
])('the login service address %s is refused, and the message does not repeat it', (url) => {
  const both = mistakesOf(url, { HTTP_STORE_FIND_URL: url })
  expect(both).toEqual([
    expect.stringMatching(/^USER_STORE_URL must be an address such as/),
    expect.stringMatching(/^HTTP_STORE_FIND_URL must be an address such as/),
  ])
  expect(both.join()).not.toContain('MARKER')
})

test.each([
  ['HTTP_STORE_TOKEN', undefined, 'is required'],
  ['HTTP_STORE_TOKEN', 'two words', 'must be visible ASCII'],
  ['HTTP_STORE_TOKEN', 'a\r\nX-Admin: 1', 'must be visible ASCII'],
  ['HTTP_STORE_TOKEN', 'schlüssel', 'must be visible ASCII'],
  ['HTTP_STORE_FIND_URL', 'ldap://users.example.com', 'must be an address such as'],
  ['HTTP_STORE_FIND_URL', '/find', 'must be an address such as'],
  ['HTTP_STORE_TIMEOUT_SECONDS', '0', 'must be a whole number from 1 to 60'],
  ['HTTP_STORE_TIMEOUT_SECONDS', '5s', 'must be a whole number from 1 to 60'],
  ['HTTP_STORE_CA_FILE', '/nonexistent/ca.pem', 'names a file that does not exist'],
])('the setting %s=%s is refused', (setting, value, message) => {
  expect(mistakesOf(URL_OF_SIGN_IN, { [setting]: value })).toEqual([expect.stringContaining(`${setting} ${message}`)])
})
