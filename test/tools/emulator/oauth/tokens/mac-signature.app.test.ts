import { describe, expect, test } from 'vitest'
import {
  isSignedBy,
  macOf,
  normalizedRequest,
  readMacHeader,
} from '../../../../../src/tools/emulator/oauth/tokens/mac-signature.ts'

/** draft-ietf-oauth-v2-http-mac-02, 1.1: the credentials and the request of the example. */
const KEY = '489dks293j39'
const EXAMPLE = { ts: '1336363200', nonce: 'dj83hs9s', ext: '' }
const EXAMPLE_REQUEST = { method: 'GET', requestUri: '/resource/1?b=1&a=2', host: 'example.com', port: 80 }
/** The same draft, 3.2.1. */
const SECOND = { ts: '264095', nonce: '7d8f3e4a', ext: 'a,b,c' }
const SECOND_REQUEST = {
  method: 'POST',
  requestUri: '/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q',
  host: 'example.com',
  port: 80,
}

describe('The normalized request string of the draft', () => {
  test('the normalized request of section 1.1 has an empty line for the missing ext', () => {
    expect(normalizedRequest(EXAMPLE, EXAMPLE_REQUEST)).toBe(
      '1336363200\ndj83hs9s\nGET\n/resource/1?b=1&a=2\nexample.com\n80\n\n',
    )
  })

  test('the normalized request of section 3.2.1 has the ext and the unchanged query', () => {
    expect(normalizedRequest(SECOND, SECOND_REQUEST)).toBe(
      '264095\n7d8f3e4a\nPOST\n/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q\nexample.com\n80\na,b,c\n',
    )
  })

  test('the normalized request has the method in upper case and the host in lower case', () => {
    const request = { ...EXAMPLE_REQUEST, method: 'get', host: 'EXAMPLE.com' }
    expect(normalizedRequest(EXAMPLE, request)).toBe(normalizedRequest(EXAMPLE, EXAMPLE_REQUEST))
  })
})

/**
 * The draft prints "bhCQXTVyfj5cmA9uKkPFx1zeOXM=" for section 1.1, but its own string and key give another value.
 * Python 3 computed the values here: hmac.new(key, text, 'sha1'). The tests of rack-oauth2 (Ruby) and httpcache4j
 * (Java) expect the same values.
 */
describe('hmac-sha-1 over the strings of the draft', () => {
  test('hmac-sha-1 over the request of section 1.1 gives the expected signature', () => {
    expect(macOf(normalizedRequest(EXAMPLE, EXAMPLE_REQUEST), KEY)).toBe('6T3zZzy2Emppni6bzL7kdRxUWL4=')
  })

  test('hmac-sha-1 over the request of section 3.2.1 gives the expected signature', () => {
    expect(macOf(normalizedRequest(SECOND, SECOND_REQUEST), KEY)).toBe('+txL5oOFHGYjrfdNYH5VEzROaBY=')
  })

  test('the misprinted signature of the draft is refused', () => {
    const credentials = { ...EXAMPLE, id: 'h480djs93hd8', mac: 'bhCQXTVyfj5cmA9uKkPFx1zeOXM=' }
    expect(isSignedBy(credentials, EXAMPLE_REQUEST, KEY)).toBe(false)
  })
})

describe('A signature', () => {
  const credentials = { ...EXAMPLE, id: 'h480djs93hd8', mac: '6T3zZzy2Emppni6bzL7kdRxUWL4=' }

  test('a signature matches its request', () => {
    expect(isSignedBy(credentials, EXAMPLE_REQUEST, KEY)).toBe(true)
  })

  test.each([
    ['method', { method: 'DELETE' }],
    ['path', { requestUri: '/resource/2?b=1&a=2' }],
    ['query', { requestUri: '/resource/1?a=2&b=1' }],
    ['host', { host: 'evil.example' }],
    ['port', { port: 443 }],
  ])('a signature does not match another %s', (_part, change) => {
    expect(isSignedBy(credentials, { ...EXAMPLE_REQUEST, ...change }, KEY)).toBe(false)
  })

  test.each([
    ['ts', { ts: '1336363201' }],
    ['nonce', { nonce: 'dj83hs9t' }],
    ['ext', { ext: 'x' }],
    ['mac', { mac: '' }],
    ['mac cut short', { mac: '6T3zZzy2Emppni6bzL7kdRxUWL4' }],
  ])('a signature does not match another %s', (_part, change) => {
    expect(isSignedBy({ ...credentials, ...change }, EXAMPLE_REQUEST, KEY)).toBe(false)
  })
})

describe('The Authorization header', () => {
  const header = 'MAC id="h480djs93hd8", ts="1336363200", nonce="dj83hs9s", ext="a,b=c", mac="bhCQ="'

  test('a MAC header is parsed with all its attributes', () => {
    expect(readMacHeader(header)).toEqual({
      id: 'h480djs93hd8',
      ts: '1336363200',
      nonce: 'dj83hs9s',
      ext: 'a,b=c',
      mac: 'bhCQ=',
    })
  })

  test('a MAC header is parsed in any order, with any white space and without ext', () => {
    const folded = 'mac   mac="x",\t nonce="n",id="i" , ts="1"'
    expect(readMacHeader(folded)).toEqual({ id: 'i', ts: '1', nonce: 'n', ext: '', mac: 'x' })
  })

  test.each([
    ['another scheme', header.replace('MAC', 'Bearer')],
    ['no attributes', 'MAC'],
    ['an attribute twice', `${header}, nonce="other"`],
    ['no id', header.replace('id="h480djs93hd8", ', '')],
    ['no nonce', header.replace('nonce="dj83hs9s", ', '')],
    ['no mac', header.replace(', mac="bhCQ="', '')],
    ['a ts that is not a number', header.replace('1336363200', 'now')],
    ['a ts with a leading zero', header.replace('1336363200', '01336363200')],
    ['a ts that is negative', header.replace('1336363200', '-1')],
    ['an attribute without quotes', header.replace('"dj83hs9s"', 'dj83hs9s')],
    ['a quote inside', header.replace('dj83hs9s', 'dj"83hs9s')],
    ['a backslash inside', header.replace('dj83hs9s', 'dj\\83hs9s')],
    ['two attributes without a comma', header.replace('", ts', '" ts')],
    ['something after the attributes', `${header} x`],
    ['5,000 characters', header.replace('a,b=c', 'x'.repeat(5_000))],
  ])('a MAC header with %s is refused', (_case, text) => {
    expect(readMacHeader(text)).toBeNull()
  })
})
