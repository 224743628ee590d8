import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { features } from '../../src/features.ts'
import { fill, textsOf } from '../../src/languages/languages.ts'
import { type Outcomes, SIGN_IN_OUTCOMES } from '../../src/login/log/sign-in-log.ts'
import { openLog } from '../../src/server/log/log.ts'
import { ENTRY_POINT, SECRET } from './entry-point.ts'
import { STORE_DOWN } from './memory-users.ts'
import { cookieIn } from './signed-in.ts'
import { ADA, type LoginApp, startLoginApp } from './start-login-app.ts'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const WRONG = { username: ADA.username, password: 'WRONGMARKER' }
/** Leaves no line out. */
const EVERY_LINE = { isNew: () => true, end: () => {} }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Causes each logged event of the screens at least once. */
async function everything(app: LoginApp): Promise<string[]> {
  app.users.add('off', 'OFFMARKER')
  app.users.disable('off')
  app.users.add('a|b', 'PIPEMARKER')
  const signedIn = await app.post('/sign-in', ADA)
  const Cookie = cookieIn(signedIn)
  const returned = await app.get('/', { Cookie })
  const answers = [
    signedIn,
    returned,
    await app.post('/sign-in', WRONG),
    await app.post('/sign-in', { username: 'off', password: 'OFFMARKER' }),
    await app.post('/sign-in', { username: 'a|b', password: 'PIPEMARKER' }),
    await app.post('/sign-in', { ...WRONG, username: '' }),
    await app.post('/sign-in', { ...WRONG, username: 'ada\nbob' }),
    await app.post('/sign-in', `username=a&username=b&password=${WRONG.password}`),
    await app.post('/sign-in', `username=%ff&password=${WRONG.password}`),
    await app.post('/sign-in', JSON.stringify(WRONG), { 'Content-Type': 'application/json' }),
    await app.post('/sign-in', `password=${WRONG.password}&x=${'x'.repeat(9000)}`),
    await app.post('/sign-in', WRONG, { Origin: 'null', Cookie }),
    await app.post('/sign-in?password=QUERYMARKER', { ...WRONG, hashConsumer: 'https://evil.example/CONSUMERMARKER' }),
    await app.get('/?password=QUERYMARKER&hashConsumer=https://evil.example/CONSUMERMARKER', { Cookie }),
    await app.post('/cancel', ''),
    await app.post('/sign-out', '', { Cookie }),
  ]
  app.users.fail(STORE_DOWN)
  answers.push(await app.post('/sign-in', ADA))
  app.users.fail(Object.assign(new Error('broken'), { body: { password: ADA.password }, cause: STORE_DOWN }))
  answers.push(await app.post('/sign-in', ADA))
  expect(answers.map(({ status }) => status)).not.toContain(404)
  return [Cookie, signedIn.location ?? '', returned.location ?? ''].flatMap((text) => [text, decodeURIComponent(text)])
}

test('the log has one line for each event, with outcome, address, entry point and request', async () => {
  const app = await startLoginApp({ repeatFilter: EVERY_LINE })
  await everything(app)
  expect(app.lines.map(({ outcome, viewer, status }) => [outcome, viewer, status])).toEqual([
    ['signed-in', ADA.username, undefined],
    ['returned', ADA.username, undefined],
    ['wrong-credentials', ADA.username, undefined],
    ['disabled', 'off', undefined],
    ['unusable-attribute', 'a|b', undefined],
    ['refused-request', undefined, 400],
    ['refused-request', undefined, 400],
    ['refused-request', undefined, 400],
    ['refused-request', undefined, 400],
    ['refused-request', undefined, 415],
    ['refused-request', undefined, 413],
    ['not-from-own-page', undefined, undefined],
    ['refused-request', undefined, 400],
    ['refused-request', undefined, 400],
    ['cancelled', undefined, undefined],
    ['signed-out', ADA.username, undefined],
    ['failed', ADA.username, 503],
    ['failed', ADA.username, 500],
  ])
  for (const line of app.lines) {
    expect(line).toMatchObject({ event: 'sign-in', category: 'security', address: '127.0.0.1', entryPoint: 'default' })
    expect(line.requestId).toMatch(UUID)
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  }
  expect(new Set(app.lines.map(({ requestId }) => requestId)).size).toBe(app.lines.length)
})

test('the log names the reason for a refused request', async () => {
  const app = await startLoginApp({ repeatFilter: EVERY_LINE })
  await everything(app)
  const reasons = app.lines.filter(({ outcome }) => outcome === 'refused-request').map(({ reason }) => reason)
  expect(reasons).toEqual([
    'emptyFields',
    'unreadableText',
    'badForm',
    'unreadableText',
    'the body is not a form',
    'tooLarge',
    'hashConsumer is not on the list of allowed addresses',
    'hashConsumer is not on the list of allowed addresses',
  ])
})

test('every outcome is documented: in the README of the log, or in those of its feature', () => {
  const textOf = (pattern: string) =>
    globSync(pattern, { cwd: SRC })
      .map((path) => readFileSync(join(SRC, path), 'utf8'))
      .join()
  const undocumented = (outcomes: Outcomes, text: string) =>
    Object.keys(outcomes).filter((outcome) => !text.includes(`\`${outcome}\``))
  expect(undocumented(SIGN_IN_OUTCOMES, textOf('server/log/README.md'))).toEqual([])
  for (const { name, outcomes = {} } of features) {
    expect(undocumented(outcomes, textOf(`features/${name}/**/README.md`))).toEqual([])
  }
})

test('the log level is higher for refusals than for successes, and highest for faults', async () => {
  const app = await startLoginApp()
  await everything(app)
  const levelOf = new Map(app.lines.map(({ outcome, level }) => [outcome, level]))
  expect(Object.fromEntries(levelOf)).toEqual({
    'signed-in': 30,
    returned: 30,
    cancelled: 30,
    'signed-out': 30,
    'wrong-credentials': 40,
    disabled: 40,
    'unusable-attribute': 40,
    'refused-request': 40,
    'not-from-own-page': 40,
    failed: 50,
  })
})

test('the log holds no password, secret, response, cookie, query or foreign address', async () => {
  const app = await startLoginApp()
  const credentials = await everything(app)
  const log = JSON.stringify(app.lines)
  const marked = [ADA.password, WRONG.password, 'OFFMARKER', 'PIPEMARKER', 'QUERYMARKER', 'CONSUMERMARKER', SECRET]
  for (const secret of [...marked, 'SESSIONSECRETMARKER', ...credentials]) expect(log).not.toContain(secret)
  for (const part of ['hashExpire', 'hash=', 's%3A', '__Host-viewer', 'evil.example']) expect(log).not.toContain(part)
})

test('the log names an attribute that cannot be sent, without its value', async () => {
  const parameters = [{ name: 'plan', attribute: 'plan' }]
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, parameters }] })
  app.users.add('eve', 'pw', { attributes: { plan: 'VALUEMARKER|x' } })
  await app.post('/sign-in', { username: 'eve', password: 'pw' })
  expect(app.lines).toMatchObject([{ outcome: 'unusable-attribute', viewer: 'eve', attribute: 'plan' }])
  expect(app.lines[0]?.reason).toContain('contains "|"')
  expect(JSON.stringify(app.lines)).not.toContain('VALUEMARKER')
})

test('a name, an Origin or an address cannot forge a log line', async () => {
  const forged = '","outcome":"signed-in","x":"\u2028{"outcome":"signed-in"}'
  const app = await startLoginApp({ trustProxyHops: 1, repeatFilter: EVERY_LINE })
  await app.post('/sign-in', { username: `eve${forged}`, password: 'x' })
  await app.post('/sign-in', { username: 'eve\n{"outcome":"signed-in"}', password: 'x' })
  await app.post('/sign-in', { username: 'eve\r\n\u001b[2K', password: 'x' })
  await app.post('/sign-in', WRONG, { Origin: 'https://"},{"outcome":"signed-in"}' })
  await app.post('/sign-in', WRONG, { 'X-Forwarded-For': '"},{"outcome":"signed-in"}' })
  expect(app.lines.map(({ outcome }) => outcome)).toEqual([
    'wrong-credentials',
    'refused-request',
    'refused-request',
    'not-from-own-page',
    'wrong-credentials',
  ])
  expect(app.lines[0]?.viewer).toBe(`eve${forged}`)
})

test('long names are shortened in the log', async () => {
  const app = await startLoginApp()
  await app.post('/sign-in', { username: 'x'.repeat(500), password: 'x' })
  await app.post('/sign-in', WRONG, { Origin: `https://${'x'.repeat(8000)}` })
  expect(app.lines.map(({ viewer }) => viewer)).toEqual(['x'.repeat(255), undefined])
  expect(String(app.lines[1]?.reason).length).toBeLessThan(300)
})

test('an error screen shows the id of its log line', async () => {
  const app = await startLoginApp()
  const Cookie = cookieIn(await app.post('/sign-in', ADA))
  app.users.fail(new Error('broken'))
  for (const isFirst of [true, false]) {
    const { text } = await app.get('/', { Cookie })
    const { requestId, outcome, err } = app.lines.at(-1) ?? {}
    expect(outcome).toBe('failed')
    expect(err !== undefined).toBe(isFirst)
    expect(text).toContain(fill(textsOf('en').reference, { reference: String(requestId) }))
  }
})

function written(error: unknown): Record<string, unknown> {
  let line = ''
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      line += String(chunk)
      done()
    },
  })
  openLog('info', destination).error({ err: error })
  return (JSON.parse(line) as { err: Record<string, unknown> }).err
}

test('a logged error has name, message, code, stack and causes, and no other property', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', address: '10.0.0.1' })
  const error = Object.assign(new TypeError('no answer', { cause }), { body: 'password=x', code: 7 })
  expect(written(error)).toEqual({
    name: 'TypeError',
    message: 'no answer',
    stack: expect.stringContaining('sign-in-log.test.ts'),
    cause: { name: 'Error', message: 'refused', code: 'ECONNREFUSED', stack: expect.any(String) },
  })
})

test('a logged AggregateError has all its errors', () => {
  const { errors } = written(new AggregateError([new Error('one'), 'two'])) as { errors: unknown[] }
  expect(errors).toMatchObject([{ message: 'one' }, { message: 'two' }])
})

test('an error that is its own cause can be logged', () => {
  const error: Error & { cause?: unknown } = new Error('round')
  error.cause = error
  expect(JSON.stringify(written(error)).match(/"round"/g)?.length).toBeLessThan(10)
})

test.each([
  [{ password: 'x' }, 'Thrown: object'],
  [undefined, undefined],
  [null, undefined],
  ['text', 'text'],
])('a thrown value that is not an error is logged without its properties: %j', (thrown, message) => {
  const shown = written(thrown) as { message?: string } | undefined
  expect(shown?.message).toBe(message ?? (thrown === null ? 'Thrown: object' : undefined))
})
