import { bytesOf, type FuzzRequest } from './fuzz-request.ts'
import { wildRequest } from './mutations.ts'
import type { Random } from './random.ts'

const FORM = 'Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'

/** Requests that no HTTP client sends. */
const MALFORMED: readonly string[] = [
  'garbage\r\n\r\n',
  '\r\n\r\n\r\n',
  '\0\0\0\0',
  'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  'GET  /  HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\nHost: a\n\n',
  'GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n',
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: 5\r\nContent-Length: 6\r\n\r\na=b&c`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: -1\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: 99999999999999999999\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\nb\r\n0\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET *?token=x HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET http://a:b@c:99999/?x#y HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET javascript:alert(1) HTTP/1.1\r\nHost: a\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
]

/** Returns bytes that are hardly a request, or a request with random bytes changed. */
export function malformedBytes(random: Random, paths: readonly string[]): Buffer {
  if (random.chance(0.5)) return Buffer.from(random.pick(MALFORMED), 'latin1')
  const bytes = Buffer.from(bytesOf(wildRequest(random, paths)))
  for (let count = 0; count <= random.below(4); count += 1) bytes[random.below(bytes.length)] = random.below(256)
  return bytes
}

/** Returns the beginning of a request. */
export function cutBytes(random: Random, request: FuzzRequest): Buffer {
  const bytes = bytesOf(request)
  return bytes.subarray(0, 1 + random.below(bytes.length))
}
