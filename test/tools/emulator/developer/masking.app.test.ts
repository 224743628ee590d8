import { describe, expect, test } from 'vitest'
import { masked } from '../../../../src/tools/emulator/developer/masking.ts'

const TOKEN = '8f14e45fceea167a5a36dedd4bea2543deadbeef'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ'
/** Encrypted, in five parts. */
const JWE = 'eyJhbGciOiJSU0EtT0FFUCJ9.bm8ga2V5IGhlcmU.aXY.dGhlIHRleHQ.dGhlIHRhZw'
const RESPONSE = `[{"user":"ada"},{"hashExpire":2000000000},{"hash":"45e9d6338551a364162f9c61de66edc2"}]`

describe('the request log', () => {
  test.each([
    ['/channels/1/locks/hash.json', '/channels/1/locks/hash.json'],
    [
      '/v1/views?_page=2&date_time_from=2026-01-01T00%3A00%3A00Z',
      '/v1/views?_page=2&date_time_from=2026-01-01T00%3A00%3A00Z',
    ],
    [`/media/1001/video.webm?playback=${TOKEN}`, '/media/1001/video.webm?playback=8f14…'],
    [`/cb?code=${TOKEN}&state=xyz`, '/cb?code=8f14…&state=xyz'],
    [`/account/reset?token=${TOKEN}`, '/account/reset?token=8f14…'],
    [`/odd/${TOKEN}?x=${TOKEN}`, '/odd/8f14…?x=8f14…'],
    [`/authorize?client_id=${TOKEN}&response_type=code`, `/authorize?client_id=${TOKEN}&response_type=code`],
    [
      `/x?redirect_uri=${encodeURIComponent(`http://a.example/cb?access_token=${TOKEN}`)}`,
      `/x?redirect_uri=${encodeURIComponent('http://a.example/cb?access_token=')}8f14…`,
    ],
    [
      `/embed/hashlock/pass?hash=${encodeURIComponent(RESPONSE)}`,
      `/embed/hashlock/pass?hash=${encodeURIComponent(RESPONSE).replace('d6338551a364162f9c61de66edc2', '…')}`,
    ],
    ['/embed/hashlock/pass?hash=false', '/embed/hashlock/pass?hash=false'],
    ['/x?hash=%5B%7B%22hash%22%3A%2245e9d6338551a364162f9c61de66edc2', '/x?hash=%5B%7B%22hash%22%3A%2245e9…'],
    [`/embed/1001?vt=${JWE}`, '/embed/1001?vt=eyJh…'],
    ['/embed/1001?vt=not-a-token-but-as-long', '/embed/1001?vt=not-…'],
    [`/${JWE}`, '/eyJh…'],
    [
      `/?ref=${encodeURIComponent(`http://a.example/embed/1001?vt=${JWE}`)}`,
      `/?ref=${encodeURIComponent('http://a.example/embed/1001?vt=')}eyJh…`,
    ],
    ['/x?password=%zz', '/x?password=•••'],
  ])('the address %s is masked as %s', (address, shown) => {
    expect(masked(address)).toBe(shown)
  })

  test.each([
    ['username=ada&password=s%20ecret', 'username=ada&password=•••'],
    [`client_secret=${TOKEN}&grant_type=password`, 'client_secret=•••&grant_type=password'],
    ['new_password=a&Secret=b&code=short', 'new_password=•••&Secret=•••&code=short'],
    ['secret=&title=a+b', 'secret=&title=a+b'],
  ])('the form %s is masked as %s', (form, shown) => {
    expect(masked(form)).toBe(shown)
  })

  test.each([
    [
      `{"access_token":"${TOKEN}","expires_in":86400,"token_type":"bearer"}`,
      `{"access_token":"8f14…","expires_in":86400,"token_type":"bearer"}`,
    ],
    [`{"access_token":"${JWT}"}`, `{"access_token":"eyJh…"}`],
    [`{"mac_key" : "${TOKEN}"}`, `{"mac_key" : "•••"}`],
    [
      `{"hashlock":{"url":"https://a.example/?k=v","secret":"p\\"q\\\\"}}`,
      `{"hashlock":{"url":"https://a.example/?k=v","secret":"•••"}}`,
    ],
    [`{"secret":"cut off her`, `{"secret":"•••`],
    [
      `{"response":${JSON.stringify(RESPONSE)}}`,
      `{"response":${JSON.stringify(RESPONSE.replace('d6338551a364162f9c61de66edc2', '…'))}}`,
    ],
    [`{"media_url":"/media/1/video.webm?playback=${TOKEN}"}`, `{"media_url":"/media/1/video.webm?playback=8f14…"}`],
    ['<hashlock><secret>abc</secret><url>u</url></hashlock>', '<hashlock><secret>•••</secret><url>u</url></hashlock>'],
    ['<hashlock><secret>abc', '<hashlock><secret>•••'],
  ])('the document %s is masked as %s', (document, shown) => {
    expect(masked(document)).toBe(shown)
  })

  test.each([
    [`Bearer ${TOKEN}`, 'Bearer 8f14…'],
    ['Basic YTpi', 'Basic •••'],
    [JWT, 'eyJh…'],
    [
      `MAC id="${TOKEN}",ts="1",nonce="abc",mac="bhCQXTVyfj5cmA9uKkPFx1zeOXM="`,
      'MAC id="8f14…",ts="1",nonce="abc",mac="bhCQ…"',
    ],
  ])('the header %s is masked as %s', (header, shown) => {
    expect(masked(header)).toBe(shown)
  })
})
