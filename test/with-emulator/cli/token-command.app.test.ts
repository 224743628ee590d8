import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../src/tools/cli/program.ts'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { features } from '../../../src/tools/features.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { startProgram } from '../../tools/cli/run-program.ts'
import { openVisitor } from '../../tools/emulator/oauth/visitor.ts'
import { startService } from '../../tools/video-service/test-service.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { addFault, emulatorOfTest, environmentFor } from '../video-service/client.ts'

let emulator: RunningEmulator
let env: Record<string, string>
let cwd: string
beforeEach(async () => {
  emulator = await emulatorOfTest()
  env = environmentFor(emulator)
  cwd = temporaryFolder()
})

const token = (args: readonly string[] = [], changed: Record<string, string> = {}, stdin = '') =>
  runHere(['token', ...args], { cwd, env: { ...env, ...changed }, stdin })

describe('token', () => {
  test('token prints only a bearer token on standard output', async () => {
    const { status, stdout, stderr } = await token()
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}\n$/)])
    expect(stderr).toMatch(/bearer.*\d{4}-.*Z/)
  })

  test('token --type mac --scope broadcaster prints a MAC token in JSON', async () => {
    const { status, stdout } = await token(['--type', 'mac', '--scope', 'broadcaster', '--json'])
    expect(status).toBe(0)
    const hash = expect.stringMatching(/^[0-9a-f]{40}$/)
    expect(JSON.parse(stdout)).toMatchObject({ type: 'mac', access_token: hash, mac_key: hash })
  })

  test.each([['stdin'], ['environment']])('token --grant password reads the password from %s', async (source) => {
    const { username, password } = emulator.seed.users[0] ?? { username: '', password: '' }
    const args = ['--grant', 'password', '--username', username]
    const ended = await (source === 'stdin'
      ? token(args, {}, `${password}\n`)
      : token(args, { SERVICE_PASSWORD: password }))
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^[0-9a-f]{40}\n$/) })
    expect(ended.stderr).not.toContain(password)
  })

  test('token --grant password --type jwt gives a token for the reports of the user', async () => {
    const { username, password } = emulator.seed.users[1] ?? { username: '', password: '' }
    const args = ['--grant', 'password', '--username', username, '--type', 'jwt']
    const { status, stdout } = await token(args, { SERVICE_PASSWORD: password })
    expect(status).toBe(0)
    const reports = await fetch(`${emulator.url}/v1/viewers`, { headers: { Authorization: stdout.trim() } })
    expect(reports.status).toBe(200)
  })

  /** Starts `token`. Returns its end, and the address of the authorization page when it is printed. */
  async function startToken(args: readonly string[], changed: Record<string, string> = {}, command = 'token') {
    const stdin = new PassThrough()
    const stdout = new PassThrough()
    const stderr = new PassThrough()
    const io = { env: { ...env, ...changed }, stdin, stdout, stderr, onInterrupt: () => () => {} }
    let output = ''
    stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const ended = runCommandLine([command, ...args], io, features).then(async (status) => {
      stdout.end()
      return { status, stdout: (await stdout.toArray()).join(''), stderr: output }
    })
    await expect.poll(() => output, { timeout: 15_000 }).toContain('/authorize?')
    return { stdin, ended, address: output.split('\n')[1] ?? '' }
  }

  /** Signs in on the authorization page and allows the access. Returns the address of the redirect. */
  async function redirectOf(address: string): Promise<string> {
    const visitor = openVisitor(emulator.url)
    const { username = '', password = '' } = emulator.seed.users[0] ?? {}
    const signedIn = await visitor.submit(await visitor.get(address.slice(emulator.url.length)), { username, password })
    const allowed = await visitor.submit(await visitor.get(signedIn.location ?? ''), { decision: 'allow' })
    return allowed.location ?? ''
  }

  /** Follows the redirect to the command, as a browser does. */
  async function allow(address: string): Promise<void> {
    expect(await (await fetch(await redirectOf(address))).text()).toContain('close this window')
  }

  test.each([
    ['authorization_code', []],
    ['implicit', ['--type', 'mac', '--json']],
  ])('token --grant %s waits until the user allows the access in a browser', async (grant, options) => {
    const { address, ended } = await startToken(['--grant', grant, ...options])
    await allow(address)
    expect(await ended).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^[0-9a-f]{40}\n$|"mac_key":"[0-9a-f]{40}"/),
    })
  })

  test('token refuses a redirect address at once that no registered prefix covers', async () => {
    emulator = await emulatorOfTest(0, true)
    env = environmentFor(emulator)
    const { status, stdout, stderr } = await token(['--grant', 'authorization_code'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Failed: [^\n]*http:\/\/127\.0\.0\.1:\d+\/callback\. Use --redirect-uri [^\n]*\n$/)
  })

  test('token --json shows the refresh token of an authorization code on standard output only', async () => {
    const { address, ended } = await startToken(['--grant', 'authorization_code', '--json'])
    await allow(address)
    const { status, stdout, stderr } = await ended
    const { refresh_token } = JSON.parse(stdout)
    expect([status, refresh_token]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}$/)])
    expect(stderr).not.toContain(refresh_token)
  })

  test('login keeps a login that channel list uses and renews, and logout revokes it', async () => {
    const file = join(cwd, 'login.json')
    const kept = { SERVICE_LOGIN_FILE: file }
    const { address, ended } = await startToken(['--pkce', '--scope', 'channels reports'], kept, 'login')
    expect(new URL(address).searchParams.get('scope')).toBe('channels reports')
    expect(address).toContain('code_challenge_method=S256')
    await allow(address)
    expect(await ended).toMatchObject({ status: 0, stdout: `The login is kept in ${file}.\n` })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const first = JSON.parse(readFileSync(file, 'utf8'))
    const list = () => runHere(['channel', 'list'], { cwd, env: { ...env, ...kept } })
    expect(await list()).toMatchObject({ status: 0, stdout: expect.stringContaining('Town hall') })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(first)
    writeFileSync(file, JSON.stringify({ ...first, expiresAtSeconds: 1 }))
    expect(await list()).toMatchObject({ status: 0, stdout: expect.stringContaining('Town hall') })
    const second = JSON.parse(readFileSync(file, 'utf8'))
    expect([second.accessToken, second.refreshToken]).not.toEqual([first.accessToken, first.refreshToken])
    expect(await runHere(['logout'], { cwd, env: { ...env, ...kept } })).toMatchObject({ status: 0 })
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, JSON.stringify(second))
    expect(await list()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('login') })
  })

  test('login without SERVICE_LOGIN_FILE, and a file without a login, say what to do', async () => {
    expect((await runHere(['login'], { cwd, env })).stderr).toMatch(/^Failed: Set SERVICE_LOGIN_FILE /)
    const file = join(cwd, 'empty.json')
    writeFileSync(file, '{}')
    const ended = await runHere(['channel', 'list'], { cwd, env: { ...env, SERVICE_LOGIN_FILE: file } })
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/Run viewer-auth login/) })
  })

  test('token --redirect-uri receives the redirect of a client with another prefix', async () => {
    const client = emulator.seed.clients.find((one) => one.redirect_uri_prefix.endsWith('/newsroom/callback'))
    const changed = { SERVICE_CLIENT_ID: client?.client_id ?? '', SERVICE_CLIENT_SECRET: client?.client_secret ?? '' }
    const redirectUri = 'http://127.0.0.1:0/newsroom/callback'
    const { address, ended } = await startToken(
      ['--grant', 'authorization_code', '--redirect-uri', redirectUri],
      changed,
    )
    await allow(address)
    expect(await ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^[0-9a-f]{40}\n$/) })
  })

  test('a strict service gets the registered address without a port, and the user pastes the redirect', async () => {
    emulator = await emulatorOfTest(0, true)
    env = environmentFor(emulator)
    const redirectUri = emulator.seed.clients[0]?.redirect_uri_prefix ?? ''
    expect(new URL(redirectUri).port).toBe('')
    const { address, stdin, ended } = await startToken(['--grant', 'authorization_code', '--redirect-uri', redirectUri])
    stdin.end(`${await redirectOf(address)}\n`)
    expect(await ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^[0-9a-f]{40}\n$/) })
  })

  test('token --redirect-uri of another machine reads the address that the user pastes', async () => {
    const forms: URLSearchParams[] = []
    const service = await startService(async (req, res) => {
      if (req.method === 'GET') return void res.end('the authorization page')
      forms.push(new URLSearchParams((await req.toArray()).join('')))
      const answer = { access_token: 'cd'.repeat(20), token_type: 'bearer', expires_in: 60 }
      res.end(JSON.stringify(answer))
    })
    const redirectUri = 'https://www.example.com/signed-in?a=1'
    const args = ['--grant', 'authorization_code', '--redirect-uri', redirectUri]
    const pasted = async (change: (state: string) => string) => {
      const { address, stdin, ended } = await startToken(args, {
        SERVICE_AUTH_URL: service.origin,
        SERVICE_OAUTH_URL: service.origin,
      })
      const { searchParams } = new URL(address)
      expect(searchParams.get('redirect_uri')).toBe(redirectUri)
      stdin.end(change(searchParams.get('state') ?? ''))
      return await ended
    }
    const code = 'ab'.repeat(20)
    const done = await pasted((state) => `${redirectUri}&code=${code}&state=${state}\n`)
    expect(done).toMatchObject({ status: 0, stdout: `${'cd'.repeat(20)}\n` })
    expect([forms[0]?.get('redirect_uri'), forms[0]?.get('code')]).toEqual([redirectUri, code])
    for (const text of [`${redirectUri}&code=${code}&state=other`, code, '']) {
      const { status, stdout, stderr } = await pasted(() => text)
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).not.toContain(code)
    }
    expect(forms).toHaveLength(1)
  })

  test.each([
    [['--grant', 'password'], 'needs --username'],
    [['--grant', 'authorization_code', '--type', 'mac'], 'bearer tokens only'],
    [['--grant', 'implicit', '--type', 'jwt'], '--grant client_credentials'],
    [['--scope', 'broadcaster'], '--type mac'],
    [['--scope', 'reports broadcaster'], '--type mac'],
    [['--scope', 'reports,"x"'], 'one space'],
    [['--redirect-uri', 'https://www.example.com/'], '--grant authorization_code'],
    [['--grant', 'implicit', '--redirect-uri', 'http://www.example.com/'], 'https'],
    [['--type', 'cookie'], 'Allowed choices are'],
    [['--password', 'x'], 'unknown option'],
  ])('token %j is wrong usage', async (args, named) => {
    expect(await token(args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(named) })
  })
})

describe('an error of the service', () => {
  const wrong = 'ab'.repeat(20)
  test.each([
    ['invalid_client', { SERVICE_CLIENT_SECRET: wrong }, /SERVICE_CLIENT_ID.*SERVICE_BASIC_FORM=bare/],
    ['invalid_client', { SERVICE_CLIENT_ID: wrong, SERVICE_BASIC_FORM: 'bare' }, /SERVICE_BASIC_FORM=standard/],
  ])('the error %s with %j suggests the other form of the client secret', async (value, changed, suggestion) => {
    const { status, stdout, stderr } = await token([], changed)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(suggestion)
    expect(stderr).toContain(`(${value}, status 400)`)
    expect(stderr).not.toContain(wrong)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test.each([
    [503, 'server_error', 'Try again'],
    [501, 'unsupported_grant_type', '--grant'],
    [400, 'invalid_grant', 'Start again'],
    [400, 'invalid_request', 'missing or malformed'],
    [400, 'odd_error', 'The service refused: odd_error (status 400).'],
  ])('the answer %i %s tells what to do', async (status, error, named) => {
    await addFault(emulator, { path: '/oauth2/token', status, body: { error }, count: 3 })
    expect(await token(['--json'])).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(named) })
  })
})

test('Ctrl-C stops the wait for an answer', async () => {
  const asked = Promise.withResolvers<void>()
  const hanging = await startService(() => asked.resolve())
  const { child, ended } = startProgram(['token'], { cwd, env: { ...env, SERVICE_OAUTH_URL: hanging.origin } })
  await asked.promise
  child.kill('SIGINT')
  expect(await ended).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^Failed: .*\n$/) })
})
