import { type Fields, FORM_TYPE, type FuzzRequest, withHeader } from './fuzz-request.ts'
import {
  ACCEPTS,
  ADDRESSES,
  COOKIES,
  DESTINATIONS,
  HOSTS,
  LANGUAGES,
  METHODS,
  NAMES,
  NASTY,
  ORIGINS,
  SITES,
  TYPES,
} from './nasty-texts.ts'
import type { Random } from './random.ts'

/** Returns an address of a viewer, as the proxy writes it. */
export function anyAddress(random: Random): string {
  const a = random.below(64)
  const b = random.below(64)
  return random.chance(0.2) ? `2001:db8:${a.toString(16)}:${b.toString(16)}::1` : `10.1.${a}.${b}`
}

function nastyValue(random: Random): string {
  const kind = random.below(20)
  if (kind === 0) return 'A'.repeat(random.pick([300, 2_049, 5_000, 8_100]))
  if (kind === 1) return '%F0%9F%98%80'.repeat(random.pick([30, 200, 600]))
  if (kind === 2) return encodeURIComponent(random.text(random.below(60)).toWellFormed())
  if (kind === 3) return encodeURIComponent(random.bytes(32).toString('base64url'))
  return random.pick(NASTY)
}

/** Returns fields that have nothing to do with a form. */
function wildFields(random: Random): Fields {
  return Array.from({ length: random.below(6) + (random.chance(0.03) ? 30 : 0) }, () => [
    `${random.pick(NAMES)}${random.pick(['', '', '', '[]', '[a]', '%5B%5D'])}`,
    nastyValue(random),
  ])
}

/** Changes one character of a text, or its length. */
function bent(random: Random, text: string): string {
  const at = random.below(text.length + 1)
  const character = random.pick(['A', 'b', '0', '-', '_', '.', '%20', '%00', '%7C'])
  return random.pick([
    text.slice(0, at),
    text.slice(at),
    `${text}${character}`,
    `${text.slice(0, at)}${character}${text.slice(at + 1)}`,
    text.toUpperCase(),
    `${text}${text}`,
    nastyValue(random),
  ])
}

function bentFields(random: Random, fields: Fields): Fields {
  const extra = [random.pick(NAMES), nastyValue(random)] as const
  if (fields.length === 0) return [extra]
  const at = random.below(fields.length)
  const [name, value] = fields[at] ?? extra
  return random.pick([
    fields.with(at, [name, bent(random, value)]),
    fields.with(at, [name, nastyValue(random)]),
    fields.with(at, [`${name}${random.pick(['[]', '[a]', '%00', '%20'])}`, value]),
    fields.with(at, [random.pick(NAMES), value]),
    fields.filter((_one, index) => index !== at),
    [...fields, [name, random.chance(0.5) ? value : nastyValue(random)]],
    [...fields, extra],
    fields.toReversed(),
  ])
}

function bentHeader(random: Random, request: FuzzRequest): FuzzRequest {
  const cookie = request.headers.find(([name]) => name === 'Cookie')?.[1]
  const set = (name: string, value: string) => withHeader(request, name, value)
  return random.pick([
    () => set('Host', random.pick(HOSTS)),
    () => set('Sec-Fetch-Site', random.pick(SITES)),
    () => set('Sec-Fetch-Dest', random.pick(DESTINATIONS)),
    () => set('Origin', random.pick(ORIGINS)),
    () => set('Content-Type', random.pick(TYPES)),
    () => set('Content-Encoding', random.pick(['gzip', 'deflate', 'br', 'identity', 'x'])),
    () => set('Accept', random.pick(ACCEPTS)),
    () => set('Accept-Language', random.pick(LANGUAGES)),
    () => set('Cookie', cookie && random.chance(0.7) ? bent(random, cookie) : random.pick(COOKIES)),
    () => set('Cookie', `${random.pick(COOKIES)}; ${cookie ?? ''}; ${random.pick(COOKIES)}`),
    () => set('Cookie', Array.from({ length: 200 }, (_, index) => `sso-${index}=${index}`).join('; ')),
    () => set('X-Forwarded-For', random.pick(ADDRESSES)),
    () => set('X-Forwarded-Host', 'evil.example'),
    () => set('X-Forwarded-Proto', random.pick(['https', 'http', 'javascript', ''])),
    () => set('Forwarded', 'for=10.0.0.1;host=evil.example;proto=https'),
    () => set('User-Agent', random.pick(['', '\xff', 'a'.repeat(4_000), '(((((((((((((((((('])),
    () => set('If-None-Match', random.pick(['*', '"x"', 'W/"x"'])),
    () => set('Range', random.pick(['bytes=0-1', 'bytes=9-1', 'bytes=-', 'x'])),
    () => set('Expect', random.pick(['100-continue', 'x'])),
    () => set('X-Large', 'x'.repeat(random.pick([1_000, 12_000, 17_000]))),
    () => ({ ...request, headers: [...request.headers, random.pick(request.headers)] }),
    () => ({ ...request, headers: request.headers.toSpliced(random.below(request.headers.length), 1) }),
  ])()
}

/** @param paths of all routes, at all entry points. */
function bentPath(random: Random, path: string, paths: readonly string[]): string {
  return random.pick([
    random.pick(paths),
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    path.replace('/e/', '/e/%2e%2e/e/'),
    `${path}%00`,
    `${path};a=b`,
    `${path}%2f..`,
    `${path}/../${path}`,
    `${path}%`,
    path.replace('default', 'gold').replace('token', 'default'),
    `http://evil.example${path}`,
  ])
}

/** Returns the request with one thing changed. */
export function mutate(random: Random, request: FuzzRequest, paths: readonly string[]): FuzzRequest {
  const kind = random.below(12)
  if (kind < 5 && request.form !== null) return { ...request, form: bentFields(random, request.form) }
  if (kind < 5) return { ...request, query: bentFields(random, request.query) }
  if (kind === 5) return { ...request, query: bentFields(random, request.query) }
  if (kind === 6) return { ...request, method: random.pick(METHODS) }
  if (kind === 7) return { ...request, path: bentPath(random, request.path, paths) }
  if (kind === 8) return { ...request, isChunked: true, body: random.pick(bodies(random)) }
  return bentHeader(random, request)
}

function bodies(random: Random): Buffer[] {
  const json = Buffer.from('{"username":{"$ne":1},"__proto__":{"a":1}}')
  return [
    Buffer.alloc(0),
    json,
    random.bytes(200),
    Buffer.from('='),
    Buffer.from('&&&=&=&'),
    Buffer.alloc(9_000, 'a=b&'),
  ]
}

/** Returns a request to a known path that has nothing to do with what is expected there. */
export function wildRequest(random: Random, paths: readonly string[]): FuzzRequest {
  const method = random.pick(METHODS)
  const path = random.chance(0.9) ? random.pick(paths) : bentPath(random, random.pick(paths), paths)
  const hasBody = method !== 'GET' && method !== 'HEAD' && random.chance(0.9)
  const plain: FuzzRequest = {
    method,
    path,
    query: random.chance(0.6) ? wildFields(random) : [],
    headers: [
      ['Host', 'localhost:3000'],
      ['X-Forwarded-For', anyAddress(random)],
      ...(random.chance(0.6) ? ([['Origin', 'http://localhost:3000']] as const) : []),
      ...(hasBody && random.chance(0.8) ? ([['Content-Type', FORM_TYPE]] as const) : []),
    ],
    form: hasBody ? wildFields(random) : null,
    ...(hasBody && random.chance(0.1) && { body: random.pick(bodies(random)) }),
    isChunked: hasBody && random.chance(0.1),
  }
  return random.chance(0.7) ? bentHeader(random, plain) : plain
}
