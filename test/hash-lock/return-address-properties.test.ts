import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { buildAuthenticationResponse } from '../../src/hash-lock/authentication-response.ts'
import {
  appendAnswer,
  decideReturnAddress,
  parseAllowedConsumer,
  parsePlayerAddress,
} from '../../src/hash-lock/return-address.ts'

const PLAYER = parsePlayerAddress('https://player.example/embed/hashlock/pass')
const SECRET = '3f9a1c7be2d84560af13c9d27e6b8045'

/** Pieces of attacks and of ordinary addresses. */
const piece = fc.constantFrom(
  ...[
    'https://',
    'http://',
    '//',
    '/',
    'player.example',
    'evil.example',
    '@',
    ':443',
    ':',
    '[::1]',
    '127.1',
    '.',
    '..',
    '..;',
  ],
  ...[
    '%2e',
    '%2f',
    '%5c',
    '%252e',
    '%00',
    '%0a',
    '\\',
    '\t',
    '\n',
    ' ',
    ';',
    ',',
    '?',
    '&',
    '#',
    '=',
    'hash',
    '%68ash',
    'hash=',
  ],
  ...['chat', 'a', '%20', '+', '~', '%C3%A9', '%c0', 'é', '\uff0e', '{', '"', '|', 'blob:', 'javascript:', '[]', "'"],
)
const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const prefix = fc
  .tuple(
    label,
    fc.constantFrom('.example', '.localhost', '.example:8443'),
    fc.array(label, { minLength: 1, maxLength: 3 }),
  )
  .map(([name, end, path]) => `https://${name}${end}/${path.join('/')}/`)
const RESPONSE = buildAuthenticationResponse([['user', 'ada']], 1_900_000_000, SECRET)

test('a followed address stays below its prefix, keeps its query and gets one more parameter', () => {
  let followed = 0
  const attack = fc.tuple(fc.boolean(), fc.array(piece, { maxLength: 8 }))
  fc.assert(
    fc.property(fc.uniqueArray(prefix, { minLength: 1, maxLength: 3 }), attack, (prefixes, [isNear, pieces]) => {
      const hashConsumer = (isNear ? prefixes[0] : '') + pieces.join('')
      const decision = decideReturnAddress(hashConsumer, PLAYER, prefixes.map(parseAllowedConsumer))
      if (!decision.ok) return
      followed += 1
      const location = appendAnswer(decision.address, 'hash', RESPONSE)
      const { href, origin, pathname, search, hash, searchParams } = new URL(location)
      expect(prefixes.some((allowed) => href.startsWith(allowed) && origin === new URL(allowed).origin)).toBe(true)
      expect(decision.address.origin).toBe(origin)
      expect(decodeURIComponent(pathname)).not.toMatch(/\/\.\.|\\|\/\.\//)
      expect(searchParams.getAll('hash')).toEqual([RESPONSE])
      expect(hash).toBe('')
      const [, query = ''] = splitAt(hashConsumer, '?')
      const [path, extended] = splitAt(location, '?')
      expect(extended).toBe(`${query}${/^$|&$/.test(query) ? '' : '&'}hash=${encodeURIComponent(RESPONSE)}`)
      expect(path).toBe(origin + pathname)
      expect(search.split('hash=%5B')).toHaveLength(2)
    }),
    { numRuns: 1000 },
  )
  expect(followed).toBeGreaterThan(50)
})

test('arbitrary text is refused without an exception', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.webUrl(),
        fc.array(piece).map((all) => all.join('')),
      ),
      (text) => {
        expect(decideReturnAddress(text, PLAYER, [parseAllowedConsumer('https://player.example/chat/')]).ok).toBe(false)
      },
    ),
    { numRuns: 1000 },
  )
})

test('the longest address with the longest response fits into the headers of Node: Location and request line', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>()
  const consumer = createServer((req, res) => {
    arrived.resolve(req)
    res.end()
  })
  const consumerPort = await listenOn(consumer)
  const prefix = `http://127.0.0.1:${consumerPort}/chat/`
  const hashConsumer = `${prefix}?${'x'.repeat(2048 - prefix.length - 1)}`
  const decision = decideReturnAddress(hashConsumer, PLAYER, [parseAllowedConsumer(prefix)])
  // Every byte of it is percent-encoded, so no response gets longer.
  const response = longestResponse('渋')
  const location = decision.ok ? appendAnswer(decision.address, 'hash', response) : ''
  expect(location.length).toBeGreaterThan(14_000)
  const login = createServer((_req, res) => res.writeHead(303, { ...LARGE_HEADERS, Location: location }).end())
  const loginPort = await listenOn(login)
  const [redirect] = (await once(get({ port: loginPort, agent: false }), 'response')) as [IncomingMessage]
  expect(redirect.headers.location).toBe(location)
  const [answer] = (await once(get(location, { agent: false, headers: BROWSER_HEADERS }), 'response')) as [
    IncomingMessage,
  ]
  expect(answer.statusCode).toBe(200)
  const { url = '' } = await arrived.promise
  expect(new URL(url, prefix).searchParams.get('hash')).toBe(response)
})

/** Stands for the app's other headers, such as a policy with many origins. */
const LARGE_HEADERS = { 'Content-Security-Policy': 'x'.repeat(1500), 'Cache-Control': 'no-store' }
const BROWSER_HEADERS = { 'User-Agent': 'x'.repeat(200), Accept: 'x'.repeat(150), Cookie: 'x'.repeat(1000) }

function longestResponse(character: string): string {
  for (let length = 85; ; length -= 1) {
    const parameters = Array.from({ length: 16 }, (_, index) => [`p${index}`, character.repeat(length)] as const)
    try {
      return buildAuthenticationResponse(parameters, Number.MAX_SAFE_INTEGER, SECRET)
    } catch (error) {
      if (!(error instanceof RangeError) || length === 0) throw error
    }
  }
}

async function listenOn(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function splitAt(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
