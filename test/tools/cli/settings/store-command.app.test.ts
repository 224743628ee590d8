import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startExampleService } from '../../../users/http/example-service.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const TOKEN = 'a-long-random-token'
const PASSWORD = 'seven quiet herons'
/** Of the password. */
const BCRYPT = '$2b$12$X2JggvAwRBBN2Rpc.sOUJ.t5F8ha.INNM/ayR9iLDRnG.J3vSfZYa'

interface Answer {
  status: number
  body?: object | string
  headers?: Record<string, string>
}
interface Question {
  readonly path: string
  readonly token: string
  readonly username: string
  readonly password: string | undefined
}
/** Changes the right answer to a question. */
type Fault = (question: Question, answer: Answer) => Answer | Promise<Answer>

function rightAnswer({ path, token, username, password }: Question): Answer {
  if (token !== `Bearer ${TOKEN}`)
    return { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } }
  const isKnown = ['ada', 'gone'].includes(username)
  const viewer = { username, groups: ['staff'], attributes: { seat: '12' } }
  if (path === '/find') return username === 'ada' ? { status: 200, body: viewer } : { status: 404 }
  if (!isKnown || password !== PASSWORD) return { status: 401 }
  return username === 'gone' ? { status: 403 } : { status: 200, body: viewer }
}

/** Starts a customer's login service with one fault, and returns its sign-in address. */
async function startService(fault: Fault = (_question, answer) => answer): Promise<string> {
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = Buffer.concat(await req.toArray()).toString()
    const sent = text === '' ? {} : (JSON.parse(text) as Pick<Question, 'username' | 'password'>)
    const question = {
      path: req.url ?? '',
      token: req.headers.authorization ?? '',
      username: '',
      password: undefined,
      ...sent,
    }
    const { status, body = {}, headers = {} } = await fault(question, rightAnswer(question))
    res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer((req, res) => void handle(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign-in`
}

interface Checked {
  readonly status: number | null
  readonly stderr: string
  /** The codes of the findings of each state. */
  readonly codes: Record<string, string[]>
}

async function checkStore(args: readonly string[], env: Record<string, string> = {}): Promise<Checked> {
  const { status, stdout, stderr } = await runHere(['store', 'check', ...args, '--json'], {
    cwd: temporaryFolder(),
    env,
  })
  const { findings } = JSON.parse(stdout || '{"findings":[]}') as { findings: { state: string; code: string }[] }
  const codes: Record<string, string[]> = { ok: [], warning: [], unknown: [], failure: [] }
  for (const { state, code } of findings) codes[state]?.push(code)
  expect(stdout).not.toContain(TOKEN)
  expect(stdout).not.toContain(PASSWORD)
  return { status, stderr, codes }
}

/** Runs the whole contract against a login service. */
function checkService(url: string): Promise<Checked> {
  const env = { HTTP_STORE_TOKEN: TOKEN, HTTP_STORE_FIND_URL: new URL('/find', url).href, VIEWER_PASSWORD: PASSWORD }
  return checkStore([url, '--viewer', 'ada', '--disabled', 'gone'], env)
}

test('a login service that keeps all promises passes store check', async () => {
  const { status, codes } = await checkService(await startService())
  expect([status, codes.failure, codes.unknown]).toEqual([0, [], []])
  expect(codes.ok).toEqual(
    expect.arrayContaining([
      ...['reachable', 'unknown-viewer', 'odd-names', 'unknown-look-up', 'look-up', 'wrong-password', 'right-password'],
      ...['no-cache', 'disabled-viewer', 'disabled-look-up', 'wrong-token', 'wrong-token-look-up'],
    ]),
  )
})

test('the example service that customers copy passes store check', async () => {
  const { url, token, findUrl } = await startExampleService()
  const env = { HTTP_STORE_TOKEN: token, HTTP_STORE_FIND_URL: findUrl ?? '', VIEWER_PASSWORD: PASSWORD }
  const { status, codes } = await checkStore(
    [url, '--viewer', 'ADA@example.com', '--disabled', 'gone@example.com'],
    env,
  )
  expect([status, codes.failure, codes.unknown]).toEqual([0, [], []])
})

test('store check names the look-up address as the one that answers', async () => {
  const url = await startService()
  const env = { HTTP_STORE_TOKEN: TOKEN, HTTP_STORE_FIND_URL: new URL('/find', url).href }
  const { stdout } = await runHere(['store', 'check', 'http://127.0.0.1:9/sign-in'], { cwd: temporaryFolder(), env })
  expect(stdout).toMatch(new RegExp(`^ok +${new URL(url).origin} answers`))
  expect(stdout).toMatch(/^failure +http:\/\/127\.0\.0\.1:9 cannot be reached/m)
})

const ada = { username: 'ada' }
const faults: [what: string, fault: Fault, broken: string[]][] = [
  [
    '404 for an unknown viewer',
    ({ path }, answer) => (path === '/sign-in' && answer.status === 401 && !answer.headers ? { status: 404 } : answer),
    ['unknown-viewer', 'odd-names', 'wrong-password', 'no-cache'],
  ],
  [
    'a wrong password of a known viewer as disabled',
    ({ username, password }, answer) =>
      username === 'ada' && password !== PASSWORD && password ? { status: 403 } : answer,
    ['wrong-password', 'no-cache'],
  ],
  [
    'every password as right',
    ({ username, password }, answer) => (username === 'ada' && password ? { status: 200, body: ada } : answer),
    ['wrong-password', 'no-cache'],
  ],
  [
    'a right password from a cache',
    (() => {
      let cached: Answer | null = null
      return ({ path, username }: Question, answer: Answer) => {
        if (path !== '/sign-in' || username !== 'ada') return answer
        if (answer.status === 200) cached = answer
        return cached ?? answer
      }
    })(),
    ['no-cache'],
  ],
  [
    'quotes in a name with 500',
    ({ username }, answer) => (username.includes("'") ? { status: 500 } : answer),
    ['odd-names'],
  ],
  [
    'redirects',
    () => ({ status: 302, headers: { Location: 'https://users.example.com/' } }),
    [
      ...['unknown-viewer', 'odd-names', 'unknown-look-up', 'look-up', 'wrong-password', 'right-password', 'no-cache'],
      ...['disabled-viewer', 'disabled-look-up', 'wrong-token', 'wrong-token-look-up'],
    ],
  ],
  [
    'a viewer of more than 256 KiB',
    (_question, answer) =>
      answer.status === 200 ? { status: 200, body: { ...ada, id: 'x'.repeat(300_000) } } : answer,
    ['look-up', 'right-password'],
  ],
  [
    'a viewer without a name',
    ({ path }, answer) =>
      path === '/sign-in' && answer.status === 200 ? { status: 200, body: { user: 'ada' } } : answer,
    ['right-password'],
  ],
  [
    'HTML',
    ({ path }, answer) => (path === '/sign-in' && answer.status === 200 ? { status: 200, body: '<html>' } : answer),
    ['right-password'],
  ],
  [
    'a look-up with another viewer',
    ({ path }, answer) =>
      path === '/find' && answer.status === 200 ? { status: 200, body: { username: 'eve' } } : answer,
    ['look-up'],
  ],
  [
    'a disabled viewer as signed in',
    ({ username, password }, answer) =>
      username === 'gone' && (password ?? PASSWORD) === PASSWORD ? { status: 200, body: { username } } : answer,
    ['disabled-viewer', 'disabled-look-up'],
  ],
  [
    'a disabled viewer as a wrong password',
    (_question, answer) => (answer.status === 403 ? { status: 401 } : answer),
    ['disabled-viewer'],
  ],
  [
    'any token as right',
    (question) => rightAnswer({ ...question, token: `Bearer ${TOKEN}` }),
    ['wrong-token', 'wrong-token-look-up'],
  ],
  [
    'a wrong token as a wrong password',
    (_question, answer) => ({ ...answer, headers: {} }),
    ['wrong-token', 'wrong-token-look-up'],
  ],
]

test.each(faults)(
  'store check names the promises that a login service breaks which answers %s',
  async (_what, fault, broken) => {
    const { status, codes } = await checkService(await startService(fault))
    expect(codes.failure?.toSorted()).toEqual(broken.toSorted())
    expect(status).toBe(1)
  },
)

test('store check warns if a wrong password takes longer than an unknown viewer', async () => {
  const url = await startService(async ({ username, password = PASSWORD }, answer) => {
    if (username === 'ada' && password !== PASSWORD) await pause(600)
    return answer
  })
  expect((await checkService(url)).codes.warning).toEqual(['same-time'])
})

test.each([
  ['names the account', { username: 'ada' }, 'ok'],
  ['names no account', {}, 'warning'],
])('store check with another name of a viewer finds that a wrong password %s', async (_what, body, state) => {
  const url = await startService((question, answer) => {
    if (question.username !== 'ada@example.com') return answer
    const right = rightAnswer({ ...question, username: 'ada' })
    return right.status === 401 && question.password !== undefined ? { ...right, body } : right
  })
  const env = { HTTP_STORE_TOKEN: TOKEN, VIEWER_PASSWORD: PASSWORD }
  expect((await checkStore([url, '--viewer', 'ada@example.com'], env)).codes[state]).toContain('stored-name')
})

test('store check accepts that a login service changes the hash at the right password', async () => {
  let isRenewed = false
  const url = await startService(async ({ username, password }, answer) => {
    if (username === 'ada' && password === PASSWORD) isRenewed = true
    if (username !== 'ada' || !isRenewed) await pause(200)
    return answer
  })
  expect((await checkService(url)).codes.warning).toEqual([])
})

test("store check does not warn about this app's own store after an import of bcrypt hashes", async () => {
  const cwd = temporaryFolder()
  const env = { USER_STORE_URL: `sqlite:${join(cwd, 'viewers.db')}`, VIEWER_PASSWORD: PASSWORD }
  const csv = join(cwd, 'viewers.csv')
  writeFileSync(csv, `username,password_hash\nzoe,${BCRYPT}\n`)
  expect(await runHere(['viewers', 'import', csv], { cwd, env })).toMatchObject({ status: 0 })
  // Her hash is a new one, and unknown names get the hash of Zoe.
  await runHere(['viewers', 'add', 'bea'], { cwd, env })
  expect((await checkStore(['--viewer', 'bea'], env)).codes.warning).toEqual([])
})

test('store check stops at a service that cannot be reached, or that rejects the token', async () => {
  const url = await startService()
  const closed = await checkService('http://127.0.0.1:9/sign-in')
  expect([closed.status, closed.codes]).toEqual([1, { ok: [], warning: [], unknown: [], failure: ['reachable'] }])
  const rejected = await checkStore([url], { HTTP_STORE_TOKEN: 'other' })
  expect([rejected.status, rejected.codes.failure]).toEqual([1, ['reachable']])
})

test('store check without viewers says what was not tried', async () => {
  const { status, codes } = await checkStore([await startService()], { HTTP_STORE_TOKEN: TOKEN })
  expect(status).toBe(0)
  expect(codes.unknown).toEqual(['right-password', 'disabled-viewer'])
  // Without a look-up, a removed viewer keeps the session.
  expect(codes.warning).toContain('look-up')
})

test('store check reads a SQLite store, and does not create a missing file', async () => {
  const cwd = temporaryFolder()
  const url = `sqlite:${join(cwd, 'viewers.db')}`
  const missing = await checkStore([url])
  expect([missing.status, missing.codes.failure]).toEqual([1, ['opens']])
  expect((await checkStore([url])).codes.failure).toEqual(['opens'])
  const env = { USER_STORE_URL: url, VIEWER_PASSWORD: PASSWORD }
  await runHere(['viewers', 'add', 'Ada'], { cwd, env })
  const found = await checkStore(['--viewer', 'ada'], env)
  expect([found.status, found.codes.failure]).toEqual([0, []])
  const unsigned = await checkStore([url, '--viewer', 'ada', '--no-password'])
  expect(unsigned.codes.ok).toContain('look-up')
  expect(unsigned.codes.unknown).toContain('right-password')
  const unknown = await checkStore([url, '--viewer', 'eve', '--no-password'])
  expect([unknown.status, unknown.codes.failure]).toEqual([1, ['look-up']])
})

test('store check refuses a password in the URL, and names wrong settings', async () => {
  const refused = await runHere(['store', 'check', 'postgres://app:hunter2@db.example/app'], { cwd: temporaryFolder() })
  expect([refused.status, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr).not.toContain('hunter2')
  const unset = await runHere(['store', 'check', 'https://users.example/'], { cwd: temporaryFolder() })
  expect([unset.status, unset.stderr]).toEqual([1, expect.stringContaining('HTTP_STORE_TOKEN')])
})
