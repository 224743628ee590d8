import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { appendQuery, checkRedirectUri } from '../../../../../src/tools/emulator/oauth/authorize/redirect-address.ts'

describe('Comparing a redirect_uri with the registered prefix', () => {
  test.each([
    ['https://a.example/cb', 'https://a.example/cb'],
    ['https://a.example/cb', 'https://a.example/cb?x=1'],
    ['https://a.example/cb', 'https://a.example/cb/deeper/still'],
    ['https://a.example/cb', 'https://A.EXAMPLE/cb'],
    ['https://a.example/cb', 'https://a.example:443/cb'],
    ['https://a.example', 'https://a.example'],
    ['https://a.example', 'https://a.example/anything'],
    ['https://a.example/cb/', 'https://a.example/cb/x'],
    ['https://a.example/cb?app=1', 'https://a.example/cb?app=1'],
    ['https://a.example/cb?app=1', 'https://a.example/cb?app=1&more=2'],
    ['https://a.example/cb', 'https://a.example/x/../cb'],
    ['com.example.app:/oauth', 'com.example.app:/oauth/done'],
    ['com.example.app://oauth', 'com.example.app://oauth'],
  ])('the prefix %s matches %s', (prefix, uri) => {
    expect(checkRedirectUri(uri, prefix)).toMatchObject({ ok: true })
  })

  test.each([
    ['https://a.example', 'https://a.example.evil/'],
    ['https://a.example', 'https://a.example@evil.example/'],
    ['https://a.example', 'https://user@a.example/'],
    ['https://a.example', 'https://a.example%2eevil.example/'],
    ['https://a.example', 'http://a.example/'],
    ['https://a.example', 'https://a.example:8443/'],
    ['https://a.example', '//a.example/'],
    ['https://a.example', 'https:\\\\a.example/'],
    ['https://a.example', 'https://a.example\\@evil.example/'],
    ['https://a.example', 'https://ａ.example/'],
    ['https://a.example', 'https://a.example/#fragment'],
    ['https://a.example', 'javascript:alert(1)'],
    ['javascript:', 'javascript:alert(1)'],
    ['data:text/html', 'data:text/html'],
    ['https://a.example/cb', 'https://a.example/cbevil'],
    ['https://a.example/cb', 'https://a.example/'],
    ['https://a.example/cb', 'https://a.example/cb/../evil'],
    ['https://a.example/cb', 'https://a.example/cb%2f..%2fevil'],
    ['https://a.example/cb/', 'https://a.example/cb'],
    ['https://a.example/cb?app=1', 'https://a.example/cb?app=12'],
    ['https://a.example/cb?app=1', 'https://a.example/cb'],
    ['com.example.app:/oauth', 'com.example.app:/other'],
    ['no address', 'https://a.example/'],
    ['https://a.example', `https://a.example/${'x'.repeat(2_048)}`],
  ])('the prefix %s does not match %s', (prefix, uri) => {
    expect(checkRedirectUri(uri, prefix)).toEqual({ ok: false, reason: expect.stringMatching(/.{10,}/) })
  })

  test.each(['code', 'state', 'error', 'access_token', 'mac_key', 'st%61te'])(
    'a redirect_uri that already has the parameter %s is refused',
    (name) => {
      expect(checkRedirectUri(`https://a.example/?x=1&${name}=1`, 'https://a.example').ok).toBe(false)
    },
  )
})

describe('A registered loopback address admits any port (RFC 8252 7.3)', () => {
  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51234/cb'],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1:51234/cb'],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]/cb', 'http://[::1]:51234/cb'],
    ['http://localhost/cb', 'http://localhost:51234/cb'],
  ])('the prefix %s matches %s', (prefix, uri) => {
    expect(checkRedirectUri(uri, prefix).ok).toBe(true)
  })

  test.each([
    ['http://127.0.0.1/cb', 'http://localhost:51234/cb'],
    ['http://localhost/cb', 'http://127.0.0.1:51234/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1:51234/cb'],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:51234/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example:51234/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51234/evil'],
  ])('the prefix %s does not match %s', (prefix, uri) => {
    expect(checkRedirectUri(uri, prefix).ok).toBe(false)
  })
})

describe('The result is appended to the query', () => {
  test.each([
    ['https://a.example/cb', 'https://a.example/cb?code=1'],
    ['https://a.example/cb?', 'https://a.example/cb?code=1'],
    ['https://a.example/cb?a=b%20c+d&e=~%7e', 'https://a.example/cb?a=b%20c+d&e=~%7e&code=1'],
    ['https://a.example/cb?a=1&', 'https://a.example/cb?a=1&code=1'],
    ['com.example.app:/done', 'com.example.app:/done?code=1'],
  ])('the result is appended to the query of %s', (address, expected) => {
    expect(appendQuery(address, 'code=1')).toBe(expected)
  })
})

test('every accepted redirect_uri has the origin of the prefix and a path below it', () => {
  const piece = fc.constantFrom(
    'a.example',
    'evil',
    '.',
    '..',
    '/',
    '//',
    '@',
    ':',
    '\\',
    '%2f',
    '%2e',
    '?',
    '&',
    'cb',
    'https:',
    '#',
    '443',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const uri = `https://a.example${pieces.join('')}`
      if (!checkRedirectUri(uri, 'https://a.example/cb').ok) return
      const { origin, pathname, username } = new URL(uri)
      expect([origin, username]).toEqual(['https://a.example', ''])
      expect(pathname).toMatch(/^\/cb(\/|$)/)
    }),
    { numRuns: 1_000 },
  )
})
