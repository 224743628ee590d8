import { expect, test } from 'vitest'
import { buildAuthenticationResponse } from '../../src/hash-lock/authentication-response.ts'
import {
  appendAnswer,
  decideReturnAddress,
  parseAllowedConsumer,
  parsePlayerAddress,
} from '../../src/hash-lock/return-address.ts'

const PLAYER = parsePlayerAddress('https://player.example/embed/hashlock/pass')
const ALLOWED = [
  'https://player.example/chat/',
  'https://player.example:8443/qa/live/',
  'http://127.0.0.1:4000/chat/authorize/',
  'https://[2001:db8::1]/chat/',
].map(parseAllowedConsumer)

function decide(hashConsumer: string | undefined) {
  return decideReturnAddress(hashConsumer, PLAYER, ALLOWED)
}

test('a response without hashConsumer goes to the player', () => {
  expect(decide(undefined)).toEqual({ ok: true, address: PLAYER })
})

test.each([
  ['below a prefix', 'https://player.example/chat/1', 'https://player.example/chat/1'],
  ['equal to a prefix', 'https://player.example/chat/', 'https://player.example/chat/'],
  [
    'with a query (kept byte for byte)',
    'https://player.example/chat/1?resource=%2Fchat%2f1&a=%20+~\'*!{}|"<>^`[]()&&=&b',
    'https://player.example/chat/1?resource=%2Fchat%2f1&a=%20+~\'*!{}|"<>^`[]()&&=&b',
  ],
  ['with an empty query', 'https://player.example/chat/1?', 'https://player.example/chat/1?'],
  ['with a second "?" in the query', 'https://player.example/chat/1?a=b?c=d', 'https://player.example/chat/1?a=b?c=d'],
  [
    'with an address in the query',
    'https://player.example/chat/?to=https://evil.example/',
    'https://player.example/chat/?to=https://evil.example/',
  ],
  [
    'with ".." in the query',
    'https://player.example/chat/?to=/../%2e%2e/',
    'https://player.example/chat/?to=/../%2e%2e/',
  ],
  ['on another allowed port', 'https://player.example:8443/qa/live/7', 'https://player.example:8443/qa/live/7'],
  ['with the default port (dropped)', 'https://player.example:443/chat/1', 'https://player.example/chat/1'],
  ['with an empty port (dropped)', 'https://player.example:/chat/1', 'https://player.example/chat/1'],
  ['with capitals in scheme and host (lower-cased)', 'HTTPS://Player.EXAMPLE/chat/A', 'https://player.example/chat/A'],
  ['with "." and ".." (resolved)', 'https://player.example/x/../chat/./y/../1', 'https://player.example/chat/1'],
  ['with encoded dots (resolved)', 'https://player.example/x/%2E%2e/chat/.%2e/chat/1', 'https://player.example/chat/1'],
  [
    'with an unusual IPv4 address (normalized)',
    'http://0x7f.1:4000/chat/authorize/1',
    'http://127.0.0.1:4000/chat/authorize/1',
  ],
  ['with an unusual IPv6 address (normalized)', 'https://[2001:DB8:0:0::1]/chat/1', 'https://[2001:db8::1]/chat/1'],
  ['with encoded non-ASCII letters', 'https://player.example/chat/%C3%A9', 'https://player.example/chat/%C3%A9'],
  ['with an extra slash after the prefix', 'https://player.example/chat//1', 'https://player.example/chat//1'],
  ['with "//" and "@" in the path', 'https://player.example/chat//a@b', 'https://player.example/chat//a@b'],
  ['with dots inside a name', 'https://player.example/chat/a..b/.c', 'https://player.example/chat/a..b/.c'],
])('an allowed hashConsumer %s is followed', (_name, hashConsumer, url) => {
  expect(decide(hashConsumer)).toEqual({ ok: true, address: { url, origin: new URL(url).origin } })
})

test('an allowed hashConsumer of 2,048 characters is followed', () => {
  const longest = `https://player.example/chat/?${'x'.repeat(2048 - 29)}`
  expect(longest).toHaveLength(2048)
  expect(decide(longest)).toMatchObject({ ok: true, address: { url: longest } })
})

const NOT_LISTED = 'is not on the list of allowed addresses'
const CHARACTERS = 'contains characters that an address cannot have'
const NOT_ABSOLUTE = 'is not an absolute http or https address'
const USER_INFO = 'contains a user name or password'
const HOST = 'has an unusual host name'
const PATH = 'has a path that a server could read in two ways'
const HASH = 'already has a parameter "hash"'
const LENGTH = 'is longer than 2048 characters'
const ENCODED_LENGTH = 'is longer than 2048 characters after encoding'

test.each([
  ['that is empty', '', CHARACTERS],
  ['of another host', 'https://evil.example/chat/1', NOT_LISTED],
  ['of a host that begins like a listed one', 'https://player.example.evil.example/chat/1', NOT_LISTED],
  ['of a host that ends like a listed one', 'https://evilplayer.example/chat/1', NOT_LISTED],
  ['of the parent domain of a listed host', 'https://example/chat/1', NOT_LISTED],
  ['of a subdomain of a listed host', 'https://a.player.example/chat/1', NOT_LISTED],
  ['of a listed host with a dot at its end', 'https://player.example./chat/1', NOT_LISTED],
  ['of a host with an encoded dot', 'https://player.example%2eevil.example/chat/1', NOT_LISTED],
  ['of a host with an encoded slash', 'https://player.example%2fchat%2f.evil.example/', NOT_ABSOLUTE],
  ['of a host with a fullwidth dot', 'https://player.example\uff0eevil.example/chat/1', CHARACTERS],
  ['of a host in circled letters', 'https://ⓟlayer.example/chat/1', CHARACTERS],
  ['of a host with a letter that folds to another', 'https://player.e\u212aample/chat/1', CHARACTERS],
  ['of a host with ";"', 'https://player.example;evil.example/chat/1', HOST],
  ['of a host with ","', 'https://player.example,evil.example/chat/1', HOST],
  ['of a host with "*"', 'https://*.example/chat/1', HOST],
  ['of a host with "_"', 'https://player_1.example/chat/1', HOST],
  ['of a host with "\'"', "https://player'.example/chat/1", HOST],
  ['without a host', 'https:///chat/1', NOT_ABSOLUTE],
  ['with a listed host as the user name', 'https://player.example@evil.example/chat/1', USER_INFO],
  ['with a listed host as user name and password', 'https://player.example:443@evil.example/chat/1', USER_INFO],
  ['with an encoded "@" that hides the host', 'https://player.example%40evil.example/chat/1', NOT_ABSOLUTE],
  ['with a user name', 'https://ada@player.example/chat/1', USER_INFO],
  ['with an empty user name', 'https://@player.example/chat/1', USER_INFO],
  ['with two "@"', 'https://a@b@player.example/chat/1', USER_INFO],
  ['of another port', 'https://player.example:444/chat/1', NOT_LISTED],
  ['of port 65536', 'https://player.example:65536/chat/1', NOT_ABSOLUTE],
  ['of a port with letters', 'https://player.example:8443evil/qa/live/', NOT_ABSOLUTE],
  ['of another scheme', 'http://player.example/chat/1', NOT_LISTED],
  ['that is a script', 'javascript:alert(1)//https://player.example/chat/', NOT_ABSOLUTE],
  ['that is data', 'data:text/html,https://player.example/chat/', NOT_ABSOLUTE],
  ['of a blob with a listed origin', 'blob:https://player.example/chat/1', NOT_ABSOLUTE],
  ['of a web socket', 'wss://player.example/chat/1', NOT_ABSOLUTE],
  ['that is relative', '/chat/1', NOT_ABSOLUTE],
  ['without a scheme', '//player.example/chat/1', NOT_ABSOLUTE],
  ['without slashes', 'https:player.example/chat/1', NOT_ABSOLUTE],
  ['with one slash', 'https:/player.example/chat/1', NOT_ABSOLUTE],
  ['with three slashes', 'https:///player.example/chat/1', NOT_ABSOLUTE],
  ['with backslashes in place of slashes', 'https:\\\\player.example\\chat\\1', CHARACTERS],
  ['with a backslash before "@"', 'https://evil.example\\@player.example/chat/1', CHARACTERS],
  ['with a backslash in the path', 'https://player.example/chat/..\\..\\1', CHARACTERS],
  ['with a tab inside the scheme', 'ht\ttps://player.example/chat/1', CHARACTERS],
  ['with a line end inside the scheme', 'https:/\n/player.example/chat/1', CHARACTERS],
  ['with a line end at the end', 'https://player.example/chat/1\n', CHARACTERS],
  ['with a header after a line end', 'https://player.example/chat/1\r\nSet-Cookie: a=b', CHARACTERS],
  ['with a space at the start', ' https://player.example/chat/1', CHARACTERS],
  ['with a NUL', 'https://player.example/chat/\0', CHARACTERS],
  ['with a DEL', 'https://player.example/chat/\x7f', CHARACTERS],
  ['with a non-ASCII letter', 'https://player.example/chat/é', CHARACTERS],
  ['that is still percent-encoded', 'https%3A%2F%2Fplayer.example%2Fchat%2F1', NOT_ABSOLUTE],
  ['of another path', 'https://player.example/other/1', NOT_LISTED],
  ['of the root of a listed host', 'https://player.example/', NOT_LISTED],
  ['of a listed host without a path', 'https://player.example', NOT_LISTED],
  ['of a path that begins like a listed one', 'https://player.example/chatter/1', NOT_LISTED],
  ['of a listed path without its last slash', 'https://player.example/chat', NOT_LISTED],
  ['of a listed path in another case', 'https://player.example/Chat/1', NOT_LISTED],
  ['of a listed path with an encoded letter', 'https://player.example/%63hat/1', NOT_LISTED],
  ['that leaves the path by ".."', 'https://player.example/chat/../admin', NOT_LISTED],
  ['that leaves the path by encoded dots', 'https://player.example/chat/%2e%2e/admin', NOT_LISTED],
  ['that leaves the path by one encoded dot', 'https://player.example/chat/.%2E/admin', NOT_LISTED],
  ['that ends in ".."', 'https://player.example/chat/..', NOT_LISTED],
  ['with dots encoded twice', 'https://player.example/chat/%252e%252e/admin', PATH],
  ['with dots encoded three times', 'https://player.example/chat/%25252e%25252e/admin', PATH],
  ['with an encoded slash after ".."', 'https://player.example/chat/..%2fadmin', PATH],
  ['with an encoded backslash after ".."', 'https://player.example/chat/..%5Cadmin', PATH],
  ['with an encoded slash', 'https://player.example/chat/a%2Fb', PATH],
  ['with an encoded dot in a name', 'https://player.example/chat/a%2eb', PATH],
  ['with ";" after "..", which some servers ignore', 'https://player.example/chat/..;/admin', PATH],
  ['with ";" and a name after ".."', 'https://player.example/chat/..;a=b/admin', PATH],
  ['with an encoded ";" after ".."', 'https://player.example/chat/..%3b/admin', PATH],
  ['with an encoded space after ".."', 'https://player.example/chat/..%20/admin', PATH],
  ['with three dots', 'https://player.example/chat/.../admin', PATH],
  ['with a dot in an overlong encoding', 'https://player.example/chat/%c0%ae%c0%ae/admin', PATH],
  ['with a percent sign that encodes nothing', 'https://player.example/chat/%zz', PATH],
  ['with a percent sign at the end', 'https://player.example/chat/%', PATH],
  ['with an encoded NUL', 'https://player.example/chat/1%00', PATH],
  ['with an encoded line end', 'https://player.example/chat/1%0d%0aSet-Cookie:%20a=b', PATH],
  ['with an encoded DEL', 'https://player.example/chat/1%7f', PATH],
  ['with a fragment', 'https://player.example/chat/1#a', 'has a fragment'],
  ['with an empty fragment', 'https://player.example/chat/1#', 'has a fragment'],
  ['with a fragment after a query', 'https://player.example/chat/1?a=b#hash=x', 'has a fragment'],
  ['with a fragment that hides the host', 'https://evil.example#@player.example/chat/1', 'has a fragment'],
  ['with a query that hides the host', 'https://evil.example?@player.example/chat/1', NOT_LISTED],
  ['of 2,049 characters', `https://player.example/chat/?${'x'.repeat(2049 - 29)}`, LENGTH],
  ['with a path that is too long once it is encoded', `https://player.example/chat/${'{'.repeat(700)}`, ENCODED_LENGTH],
  [
    'with a query that is too long once it is encoded',
    `https://player.example/chat/?${'"'.repeat(700)}`,
    ENCODED_LENGTH,
  ],
  ['with a parameter hash', 'https://player.example/chat/1?hash=x', HASH],
  ['with a parameter hash that is empty', 'https://player.example/chat/1?hash', HASH],
  ['with a parameter hash after others', 'https://player.example/chat/1?a=b&&hash=x&c=d', HASH],
  ['with a parameter hash after ";"', 'https://player.example/chat/1?a=b;hash=x', HASH],
  ['with a parameter hash after an encoded ";"', 'https://player.example/chat/1?a%3Bhash=x', HASH],
  ['with a parameter hash after "?"', 'https://player.example/chat/1??hash=x', HASH],
  ['with a parameter hash after a "?" in a value', 'https://player.example/chat/1?a=b?hash=x', HASH],
  ['with an encoded parameter hash', 'https://player.example/chat/1?%68ash=x', HASH],
  ['with a fully encoded parameter hash', 'https://player.example/chat/1?%68%61%73%68=x', HASH],
  ['with a parameter hash encoded twice', 'https://player.example/chat/1?%2568ash=x', HASH],
  ['with an encoded parameter hash after ";"', 'https://player.example/chat/1?a=b;%68ash=x', HASH],
  ['with a parameter hash in another case', 'https://player.example/chat/1?HaSh=x', HASH],
  ['with a parameter hash as a list', 'https://player.example/chat/1?hash[]=x', HASH],
  ['with an encoded list hash', 'https://player.example/chat/1?hash%5B0%5D=x', HASH],
  ['with a fully encoded list hash', 'https://player.example/chat/1?%68ash%5b%5d=x', HASH],
  ['with a parameter hash in brackets', 'https://player.example/chat/1?[hash]=x', HASH],
  ['with a space before hash, which PHP ignores', 'https://player.example/chat/1?+hash=x', HASH],
  ['with an encoded space before hash', 'https://player.example/chat/1?%20hash=x', HASH],
  ['with a space after hash', 'https://player.example/chat/1?hash%20=x', HASH],
  ['with a NUL after hash, where PHP stops reading', 'https://player.example/chat/1?hash%00a=x', HASH],
])('a hashConsumer %s is refused', (_name, hashConsumer, reason) => {
  expect(decide(hashConsumer)).toEqual({ ok: false, reason })
})

test.each(['hashing=1', 'a=hash', 'xhash=1', 'hash-id=1', 'rehash[a]=b', 'a=1&b=2%26c=hash'])(
  'a hashConsumer with the harmless query %s is followed',
  (query) => {
    const url = `https://player.example/chat/1?${query}`
    expect(decide(url)).toMatchObject({ ok: true, address: { url } })
  },
)
test('every hashConsumer is refused when the list is empty', () => {
  expect(decideReturnAddress('https://player.example/chat/1', PLAYER, [])).toEqual({ ok: false, reason: NOT_LISTED })
  expect(decideReturnAddress(PLAYER.url, PLAYER, [])).toEqual({ ok: false, reason: NOT_LISTED })
})

const response = buildAuthenticationResponse([['user', 'ö&#=+ %"']], 1_900_000_000, '3f9a1c7be2d84560af13c9d27e6b8045')
test.each([
  ['as the only parameter', 'https://a.example/pass', 'https://a.example/pass?hash='],
  ['after a host without a path', 'https://a.example', 'https://a.example?hash='],
  ['after an empty query', 'https://a.example/pass?', 'https://a.example/pass?hash='],
  ['after other parameters', 'https://a.example/pass?a=%20+~%7e', 'https://a.example/pass?a=%20+~%7e&hash='],
  ['after an "&"', 'https://a.example/pass?a=b&', 'https://a.example/pass?a=b&hash='],
  ['after a "?" in a value', 'https://a.example/pass?a=b?', 'https://a.example/pass?a=b?&hash='],
])('hash is appended %s', (_name, address, expected) => {
  const location = appendAnswer(parsePlayerAddress(address), 'hash', response)
  expect(location).toBe(expected + encodeURIComponent(response))
  expect(new URL(location).searchParams.getAll('hash')).toEqual([response])
})

test.each([
  ['before a fragment', 'https://a.example/pass?a=b#top', 'https://a.example/pass?a=b&hash=false#top'],
  ['before a fragment without a query', 'https://a.example/pass#top', 'https://a.example/pass?hash=false#top'],
  ['before a fragment with a "?" in it', 'https://a.example/pass#a?b', 'https://a.example/pass?hash=false#a?b'],
  ['before an empty fragment', 'https://a.example/pass#', 'https://a.example/pass?hash=false#'],
])('hash is appended %s', (_name, address, expected) => {
  expect(appendAnswer(parsePlayerAddress(address), 'hash', 'false')).toBe(expected)
})

test('the address of the player is kept as it was written', () => {
  const text = 'https://Player.EXAMPLE:443/pass?a=%20+#top'
  expect(parsePlayerAddress(text)).toEqual({ url: text, origin: 'https://player.example' })
})

test.each([
  ['a user name', 'https://ada:pass@player.example/', USER_INFO],
  ['a parameter hash', 'https://player.example/?hash=', HASH],
  ['a space', 'https://player.example/a b', CHARACTERS],
  ['no scheme', 'player.example/pass', NOT_ABSOLUTE],
  ['a relative address', 'pass', NOT_ABSOLUTE],
  ['2,049 characters', `https://player.example/${'x'.repeat(2049 - 23)}`, LENGTH],
])('an address of the player with %s is refused', (_name, text, reason) => {
  expect(() => parsePlayerAddress(text)).toThrow(new RangeError(reason))
})

test('an entry of the list of consumers is an origin and a path', () => {
  expect(parseAllowedConsumer('https://Player.EXAMPLE:443/x/../chat/')).toEqual({
    origin: 'https://player.example',
    path: '/chat/',
  })
})

test.each([
  ['without a path', 'https://player.example', 'must have a path after the host, not only an origin'],
  ['of the whole origin', 'https://player.example/', 'must have a path after the host, not only an origin'],
  [
    'of the whole origin by ".."',
    'https://player.example/a/../',
    'must have a path after the host, not only an origin',
  ],
  ['of the whole origin by slashes', 'https://player.example//', 'must have a path after the host, not only an origin'],
  ['that does not end with a slash', 'https://player.example/chat', 'must end with "/"'],
  ['that ends with ".."', 'https://player.example/chat/a/..', 'must end with "/"'],
  ['with a query', 'https://player.example/chat/?a=/', 'must have neither a query nor a fragment'],
  ['with an empty query', 'https://player.example/chat/?', 'must have neither a query nor a fragment'],
  ['with a fragment', 'https://player.example/chat/#/', 'must have neither a query nor a fragment'],
  ['with a wildcard as the host', 'https://*.example/chat/', HOST],
  ['with a user name', 'https://ada@player.example/chat/', USER_INFO],
  ['with an encoded slash', 'https://player.example/chat%2f/', PATH],
])('an entry of the list of consumers %s is refused', (_name, text, reason) => {
  expect(() => parseAllowedConsumer(text)).toThrow(new RangeError(reason))
})
