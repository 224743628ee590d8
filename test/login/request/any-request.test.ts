import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signIn } from '../signed-in.ts'
import { ADA, formOf, type LoginApp, startLoginApp } from '../start-login-app.ts'

const PATHS = [
  '/',
  '/sign-in',
  '/continue',
  '/cancel',
  '/sign-out',
  '/health/ready',
  '/assets/screen.css',
  '/e/default/sign-in',
  '/nowhere',
]
const NAMES = [
  'username',
  'password',
  'shared',
  'hashConsumer',
  'ustreamContentId',
  'ustreamContentType',
  'prompt',
  'lang',
  '__proto__',
  'x',
]
const TYPES = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-8',
  'application/x-www-form-urlencoded; charset=iso-8859-1',
  'application/json',
  'multipart/form-data; boundary=x',
  'text/plain',
]

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ADA.username, 'https://chat.example/customer/1', 'a[b]'),
)
const anyForm = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom('', '[]', '[a]'), anyText), { maxLength: 25 })
  .map((fields) => fields.map(([name, index, text]) => `${name}${index}=${encoded(text)}`).join('&'))
/** A query that may name one address: the allowed one, or one that no viewer may be sent to. */
const anyQuery = fc
  .tuple(
    fc.oneof(fc.constant(''), anyForm),
    fc.constantFrom(
      null,
      'https://chat.example/customer/1',
      'https://evil.example/customer/1',
      'https://chat.example/other/1',
      'https://chat.example/customer/..%2fother/',
    ),
  )
  .map(([form, consumer]) => (consumer === null ? form : `${form}&hashConsumer=${encoded(consumer)}`))
const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
const UNREADABLE = ['username=%ff&password=x', `username=a&password=%ed%a0%80`]
const anyBody = fc.oneof(anyForm, anyBytes, fc.constantFrom(...UNREADABLE))

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

async function expectNoFault(app: LoginApp): Promise<void> {
  expect(app.lines.filter(({ outcome, level }) => outcome === 'failed' || Number(level) >= 50)).toEqual([])
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
}

test('no body causes a 500 or a response without a sign-in', async () => {
  const app = await startLoginApp()
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
      fc.constantFrom(...PATHS),
      fc.constantFrom(...TYPES),
      anyBody,
      async (method, path, type, body) => {
        const answer = await app.send(method, path, { 'Content-Type': type }, body)
        expect(answer.status).toBeLessThan(500)
        expect(answer.location ?? '').not.toContain('hashExpire')
        if (answer.status === 303) expect(answer.location).toMatch(/[?&]hash=false$|^\/(\?|$)/)
      },
    ),
    { numRuns: 150 },
  )
  await expectNoFault(app)
})

test('no query or header leads a signed-in viewer anywhere but to the player or an allowed consumer', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  const anyHeader = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })
  await fc.assert(
    fc.asyncProperty(
      anyQuery,
      fc.constantFrom(
        'accept-language',
        'host',
        'x-forwarded-host',
        'sec-fetch-dest',
        'sec-fetch-site',
        'origin',
        'cookie',
      ),
      anyHeader,
      async (query, name, value) => {
        app.clock.seconds += 20
        const answer = await app.get(`/?${query}`, {
          Cookie,
          ...(name === 'cookie' ? { Cookie: value } : { [name]: value }),
        })
        expect([200, 303, 400]).toContain(answer.status)
        if (answer.status === 303) {
          expect(answer.location).toMatch(
            /^https:\/\/(player\.example\/embed\/hashlock\/pass\?|chat\.example\/customer\/1\?hash=)/,
          )
        }
      },
    ),
    { numRuns: 100 },
  )
  expect(app.lines.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test.each([
  ['in the middle of its form', 'Content-Length: 500\r\n\r\nusername=ada'],
  ['in the middle of a chunk', 'Transfer-Encoding: chunked\r\n\r\n40\r\nusername=ada'],
  ['before its form', 'Content-Length: 500\r\n\r\n'],
])('a client that disconnects %s causes no error', async (_case, rest) => {
  const app = await startLoginApp()
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n'
  await new Promise<void>((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1', () => {
      socket.write(`POST /sign-in HTTP/1.1\r\nHost: a\r\n${type}${rest}`, () => socket.destroy())
    })
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
  await expectNoFault(app)
  expect(app.users.asked).toHaveLength(1)
})

test('a client that disconnects during the password check causes no error', async () => {
  const app = await startLoginApp()
  let finish = () => {}
  app.users.hold(
    new Promise((resolve) => {
      finish = resolve
    }),
  )
  const form = formOf(ADA)
  const socket = connect(app.port, '127.0.0.1')
  socket.write(
    `POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
  )
  await expect.poll(() => app.users.asked.length).toBe(1)
  socket.destroy()
  finish()
  await expect.poll(() => app.lines.length).toBe(1)
  await expectNoFault(app)
})
