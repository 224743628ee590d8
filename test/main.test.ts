import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  ADA,
  addAda,
  lockedFolder,
  programSettings,
  runLoginProgram,
  SECRETS,
  startLoginProgram,
} from './login/login-program.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

// Each test starts a process or two, and a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000 })

describe('the program', () => {
  test('listens on a port of its own choice when PORT is 0, and says which in its first line', async () => {
    const { port, output, child, ended } = await startLoginProgram(programSettings())
    expect(await statusOf(port, '/health/ready')).toBe(200)
    expect(await statusOf(port, '/')).toBe(200)
    const [first = ''] = output().split('\n')
    expect(JSON.parse(first)).toMatchObject({ event: 'started', port, publicUrl: 'http://localhost:3000' })
    child.kill('SIGTERM')
    await ended
  })
  test('does not start on settings that are missing or wrong: it lists every mistake and ends with 1', async () => {
    const { status, stdout, stderr } = await runLoginProgram({ PORT: 'x', HASH_SECRET: 'weak' }).ended
    expect(status).toBe(1)
    expect(stdout).toBe('')
    const [head, ...mistakes] = stderr.trimEnd().split('\n')
    expect(head).toBe('These settings are missing or wrong:')
    expect(mistakes.map((mistake) => mistake.trim().split(' ')[0])).toEqual([
      'PUBLIC_URL',
      'PORT',
      'SESSION_SECRET',
      'HASH_SECRET',
      'PLAYER_RETURN_URL',
      'PLAYER_ORIGINS',
    ])
  })
  test('a setting that is usually a mistake, or unknown, is logged as a warning at the start', async () => {
    const program = await startLoginProgram({ ...programSettings(), HASH_LIFETIME_SECONDS: '0', LOGLEVEL: 'info' })
    expect(program.output()).toMatch(/"level":40.*never expires/)
    expect(program.output()).toMatch(/"level":40.*Unknown setting LOGLEVEL/)
    program.child.kill('SIGTERM')
    expect((await program.ended).status).toBe(0)
  })
})

describe('the program ends with 1 and one sentence', () => {
  async function sentenceOf(settings: Record<string, string>, options = {}): Promise<string> {
    const { status, stdout, stderr } = await runLoginProgram(settings, options).ended
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).not.toMatch(/\n.|\bat .*:\d+|Error:|[A-Z]MARKER/)
    return stderr.trimEnd()
  }
  test('when its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    expect(await sentenceOf({ ...programSettings(), PORT: String(port) })).toBe(
      `Port ${port} is used by another program. Stop that program, or set another PORT.`,
    )
  })
  test('when HOST is no address of this machine, or no address at all', async () => {
    for (const HOST of ['192.0.2.1', 'nowhere.invalid']) {
      expect(await sentenceOf({ ...programSettings(), HOST })).toMatch(
        /^HOST must be an address of this machine, such as 0\.0\.0\.0 or 127\.0\.0\.1 \(E\w+\)\.$/,
      )
    }
  })
  test('when its data folder cannot be written', async () => {
    const { folder, options } = lockedFolder()
    const sentence = await sentenceOf(programSettings(folder), options)
    expect(sentence).toContain(join(folder, 'data', 'viewers.db'))
    expect(sentence).toMatch(/USER_STORE_URL\.$/)
  })
  test('when the folder of its sessions cannot be made', async () => {
    const { folder, options } = lockedFolder()
    const settings = programSettings('/tmp')
    settings.SESSION_STORE_URL = `sqlite:${join(folder, 'data', 'sessions.db')}`
    settings.USER_STORE_URL = `sqlite:${join(writableByAll(), 'viewers.db')}`
    expect(await sentenceOf(settings, options)).toMatch(/^SESSION_STORE_URL: .*data.*EACCES.* writ/)
  })
  test('when the folder of its sessions cannot be written', async () => {
    const { folder, options } = lockedFolder()
    const settings = programSettings('/tmp')
    settings.SESSION_STORE_URL = `sqlite:${join(folder, 'sessions.db')}`
    settings.USER_STORE_URL = `sqlite:${join(writableByAll(), 'viewers.db')}`
    expect(await sentenceOf(settings, options)).toMatch(/^SESSION_STORE_URL: .*sessions\.db.* writable/)
  })
  test('when what should be its data folder is a file', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'data'), '')
    expect(await sentenceOf(programSettings(folder))).toMatch(/data\/viewers\.db.*\(E\w+\).*USER_STORE_URL\.$/)
  })
  const noDatabase = (file: string) => writeFileSync(file, 'text and no database '.repeat(500))
  const newerVersion = (file: string) => {
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 99')
    database.close()
  }
  test.each([
    ['viewers.db', 'no database', noDatabase, /viewers\.db is damaged or no database at all: .*backup/],
    ['viewers.db', 'of a newer version', newerVersion, /viewers\.db was last written by a newer version.*update/],
    ['viewers.db', 'a folder', mkdirSync, /viewers\.db cannot be written .*USER_STORE_URL\.$/],
    [
      'sessions.db',
      'no database',
      noDatabase,
      /^SESSION_STORE_URL: .*sessions\.db .*not a database.*move the file away/,
    ],
    ['sessions.db', 'of a newer version', newerVersion, /^SESSION_STORE_URL: .*sessions\.db .*newer version/],
    ['sessions.db', 'a folder', mkdirSync, /^SESSION_STORE_URL: .*sessions\.db cannot be used/],
  ])('when %s is %s', async (name, fault, spoil, sentence) => {
    const folder = temporaryFolder()
    const settings = programSettings(folder)
    mkdirSync(join(folder, 'data'))
    // Only a file of viewers has versions; a file of sessions is one from its first start on.
    if (name === 'viewers.db' && fault === 'of a newer version') await addAda(settings)
    spoil(join(folder, 'data', name))
    expect(await sentenceOf(settings)).toMatch(sentence)
  })
})

describe.each(['SIGTERM', 'SIGINT'] as const)('on %s', (signal) => {
  test('the program ends at once while it still starts', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const asked = once(silent, 'connection')
    const { port } = silent.address() as AddressInfo
    const { child, ended } = runLoginProgram({
      ...programSettings(),
      USER_STORE_URL: `postgres://app:password@127.0.0.1:${port}/viewers`,
    })
    await asked
    child.kill(signal)
    expect(await ended).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })
  test('readiness fails first, a running sign-in gets its response, idle connections close, and it ends with 0', async () => {
    const settings = { ...programSettings(), SHUTDOWN_DELAY_SECONDS: '2' }
    await addAda(settings)
    const program = await startLoginProgram(settings)
    const agent = new Agent({ keepAlive: true })
    const idle = get({ port: program.port, path: '/health/ready', agent })
    const [ready] = (await once(idle, 'response')) as [IncomingMessage]
    expect([ready.statusCode, await text(ready)]).toEqual([200, '{"status":"ready"}'])
    const idleClosed = once(idle.socket ?? agent, 'close')
    const signIn = beginSignIn(program.port)

    program.child.kill(signal)
    await program.says('"stopping"')
    expect(await statusOf(program.port, '/health/ready')).toBe(503)
    expect(await statusOf(program.port, '/health/live')).toBe(200)
    expect(await statusOf(program.port, '/')).toBe(200)

    await refused(program.port)
    await idleClosed
    const response = await signIn.finish()
    expect(response.statusCode).toBe(303)
    expect(response.headers.location).toMatch(/^https:\/\/player\.example\/embed\/hashlock\/pass\?hash=%5B%7B/)
    const { status, stdout, stderr } = await program.ended
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('"stopped"')
  })
})

describe('a stop', () => {
  test('that is asked for twice happens once', async () => {
    const program = await startLoginProgram(programSettings())
    program.child.kill('SIGTERM')
    program.child.kill('SIGINT')
    const { status, stdout } = await program.ended
    expect(status).toBe(0)
    expect(stdout.match(/"stopping"/g)).toHaveLength(1)
  })
  test('leaves nothing that keeps the process: also after failed sign-ins, whose delays are still counted', async () => {
    const program = await startLoginProgram(programSettings())
    for (let tries = 0; tries < 7; tries += 1) await signInAs(program.port, 'nobody', 'wrong')
    program.child.kill('SIGTERM')
    expect((await program.ended).status).toBe(0)
  })
  test('keeps the sessions: who signed in before is passed on at once by the next start', async () => {
    const settings = programSettings()
    await addAda(settings)
    const first = await startLoginProgram(settings)
    const signedIn = await signInAs(first.port, ADA.username, ADA.password)
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    first.child.kill('SIGTERM')
    await first.ended
    const second = await startLoginProgram(settings)
    const [returned] = (await once(get({ port: second.port, headers: { cookie } }), 'response')) as [IncomingMessage]
    expect(returned.statusCode).toBe(303)
  })
})

describe('the output of the program', () => {
  test('holds no password, secret, form, cookie or response, whatever is asked', async () => {
    const settings = { ...programSettings(), LOG_LEVEL: 'trace', HASH_CONSUMERS: 'https://chat.example/room/' }
    await addAda(settings)
    const program = await startLoginProgram(settings)
    const { port } = program
    const signedIn = await signInAs(port, ADA.username, ADA.password)
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const { location = '' } = signedIn.headers
    const hash = /%22hash%22%3A%22([0-9a-f]{32})%22/.exec(location)?.[1] ?? 'no hash'
    expect(signedIn.statusCode).toBe(303)
    await statusOf(port, '/', { cookie })
    await signInAs(port, ADA.username, 'WRONGMARKER password')
    await signInAs(port, ADA.username, `PASSMARKER\ufffd\0`)
    await signInAs(port, 'PASSWORDMARKER typed as a name\n', 'a')
    await post(port, '/sign-in', `username=a&password=TWICEMARKER&password=TWICEMARKER`)
    await post(port, '/sign-in', '{"password":"JSONMARKER"}', { 'content-type': 'application/json' })
    await post(port, '/sign-in', `password=LONGMARKER${'x'.repeat(9000)}`)
    await post(port, '/sign-in', 'password=FOREIGNMARKER', { origin: 'https://evil.example' })
    await post(port, '/sign-in', 'password=%E0%A4%AMARKER', { 'content-encoding': 'gzip' })
    await post(port, '/cancel', 'hashConsumer=https%3A%2F%2Fevil.example%2FCONSUMERMARKER')
    await statusOf(port, '/?hashConsumer=https://evil.example/CONSUMERMARKER')
    await statusOf(port, '/?password=QUERYMARKER&hash=%5BQUERYMARKER')
    await statusOf(port, '/%E0%A4%AQUERYMARKER', { cookie: 'viewer=s%3ACOOKIEMARKER.x' })
    await garbage(port, 'GARBAGEMARKER\r\n\r\n')
    program.child.kill('SIGTERM')
    const { status, stdout, stderr } = await program.ended
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    // The viewer's name is logged, as typed: a password in the field of the name cannot be told from one.
    const output = stdout.replaceAll('"viewer":"PASSWORDMARKER typed as a name"', '')
    expect(output).toMatch(/"outcome":"signed-in".*\n(.*\n)*.*"outcome":"returned"/)
    expect(output).not.toContain(decodeURIComponent(cookie.split('=')[1] ?? 'no cookie').slice(2, 20))
    expect(output).not.toContain(hash)
    expect(output).not.toMatch(/MARKER|%22hash|hash=|password=/)
    for (const secret of Object.values(SECRETS)) expect(output).not.toContain(secret)
    for (const line of stdout.trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
  })
})

async function statusOf(port: number, path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const [response] = (await once(get({ port, path, headers, agent: false }), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

async function post(port: number, path: string, body: string, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = request({ port, path, method: 'POST', agent: false, headers: { ...type, ...headers } })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response
}

function signInAs(port: number, username: string, password: string): Promise<IncomingMessage> {
  return post(port, '/sign-in', new URLSearchParams({ username, password }).toString())
}

/** A sign-in whose form is half sent: it runs until the rest comes. */
function beginSignIn(port: number): { finish: () => Promise<IncomingMessage> } {
  const form = new URLSearchParams(ADA).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': form.length }
  const sent = request({ port, path: '/sign-in', method: 'POST', agent: false, headers })
  sent.write(form.slice(0, 10))
  return {
    async finish() {
      const responded = once(sent, 'response')
      sent.end(form.slice(10))
      const [response] = (await responded) as [IncomingMessage]
      response.resume()
      return response
    },
  }
}

/** Resolves when nobody listens on the port any more. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (!isOpen) return
    await sleep(20)
  }
}

async function garbage(port: number, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.end(bytes)
  await text(socket)
}

function writableByAll(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  return folder
}
