import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ADA, addAda, programSettings, SECRETS } from './login/login-program.ts'
import { runLoginProgram, startLoginProgram } from './login/start-program.ts'

test('the program chooses a port when PORT is 0, and logs it in its first line', async () => {
  const { port, output, child, ended } = await startLoginProgram(programSettings())
  expect(await statusOf(port, '/health/ready')).toBe(200)
  expect(await statusOf(port, '/')).toBe(200)
  const [first = ''] = output().split('\n')
  expect(JSON.parse(first)).toMatchObject({ event: 'started', port, publicUrl: 'http://localhost:3000' })
  child.kill('SIGTERM')
  await ended
})

test('a store without a viewer is a warning after the start, and readiness is degraded until there is one', async () => {
  const settings = programSettings()
  const { port, output, child, ended } = await startLoginProgram(settings)
  const readiness = async () => await (await fetch(`http://localhost:${port}/health/ready`)).json()
  expect(await readiness()).toEqual({ status: 'degraded', away: ['USER_STORE_URL'] })
  expect(output()).toContain('the store has no viewer')
  await addAda(settings)
  expect(await readiness()).toEqual({ status: 'ready' })
  child.kill('SIGTERM')
  await ended
})

test('the program lists all missing and wrong settings, and ends with 1', async () => {
  const { status, stdout, stderr } = await runLoginProgram({ PORT: 'x', HASH_SECRET: 'weak' }).ended
  expect(status).toBe(1)
  expect(stdout).toBe('')
  const [head, ...mistakes] = stderr.trimEnd().split('\n')
  expect(head).toMatch(/:$/)
  expect(mistakes.map((mistake) => mistake.trim().split(' ')[0])).toEqual([
    'PUBLIC_URL',
    'PORT',
    'SESSION_SECRET',
    'HASH_SECRET',
    'PLAYER_RETURN_URL',
    'PLAYER_ORIGINS',
  ])
})

test('a suspicious or unknown setting is logged as a warning at the start', async () => {
  const program = await startLoginProgram({ ...programSettings(), HASH_LIFETIME_SECONDS: '0', LOGLEVEL: 'info' })
  expect(program.output()).toMatch(/"level":40.*lifetime is 0/)
  expect(program.output()).toMatch(/"level":40.*LOGLEVEL/)
  program.child.kill('SIGTERM')
  expect((await program.ended).status).toBe(0)
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a starting program at once', async (signal) => {
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

test('SIGTERM first fails readiness, lets a running sign-in finish, and closes idle connections', async () => {
  const settings = { ...programSettings(), SHUTDOWN_DELAY_SECONDS: '2' }
  await addAda(settings)
  const program = await startLoginProgram(settings)
  const agent = new Agent({ keepAlive: true })
  const idle = get({ port: program.port, path: '/health/ready', agent })
  const [ready] = (await once(idle, 'response')) as [IncomingMessage]
  expect([ready.statusCode, await text(ready)]).toEqual([200, '{"status":"ready"}'])
  const idleClosed = once(idle.socket ?? agent, 'close')
  const signIn = beginSignIn(program.port)

  program.child.kill('SIGTERM')
  await program.says('"stopping"')
  expect(await statusOf(program.port, '/health/ready')).toBe(503)
  expect(await statusOf(program.port, '/health/live')).toBe(200)
  expect(await statusOf(program.port, '/')).toBe(200)
  const asking = get({ port: program.port, path: '/health/live', agent: new Agent({ keepAlive: true }) })
  const [last] = (await once(asking, 'response')) as [IncomingMessage]
  expect(last.resume().headers.connection).toBe('close')

  await untilRefused(program.port)
  await idleClosed
  const response = await signIn.finish()
  expect(response.statusCode).toBe(303)
  expect(response.headers.location).toMatch(/^https:\/\/player\.example\/embed\/hashlock\/pass\?hash=%5B%7B/)
  const { status, stdout, stderr } = await program.ended
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n').at(-1)).toContain('"stopped"')
})

test('two signals, SIGTERM and SIGINT, stop the program once', async () => {
  const program = await startLoginProgram(programSettings())
  program.child.kill('SIGTERM')
  program.child.kill('SIGINT')
  const { status, stdout } = await program.ended
  expect(status).toBe(0)
  expect(stdout.match(/"stopping"/g)).toHaveLength(1)
})

test('the program can stop while delays of failed sign-ins are running', async () => {
  const program = await startLoginProgram(programSettings())
  for (let tries = 0; tries < 7; tries += 1) await signInAs(program.port, 'nobody', 'wrong')
  program.child.kill('SIGTERM')
  expect((await program.ended).status).toBe(0)
})

test('sessions survive a restart of the program', async () => {
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

test('the output of the program holds no password, secret, form, cookie or response', async () => {
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
  await sendGarbage(port, 'GARBAGEMARKER\r\n\r\n')
  program.child.kill('SIGTERM')
  const { status, stdout, stderr } = await program.ended
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  // User names are logged as typed. The app cannot know that a viewer typed a password there.
  const output = stdout.replaceAll('"viewer":"PASSWORDMARKER typed as a name"', '')
  expect(output).toMatch(/"outcome":"signed-in".*\n(.*\n)*.*"outcome":"returned"/)
  expect(output).not.toContain(decodeURIComponent(cookie.split('=')[1] ?? 'no cookie').slice(2, 20))
  expect(output).not.toContain(hash)
  expect(output).not.toMatch(/MARKER|%22hash|hash=|password=/)
  for (const secret of Object.values(SECRETS)) expect(output).not.toContain(secret)
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
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

/** Starts a sign-in with half of its form. finish() sends the rest. */
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

/** Resolves when the port refuses connections. */
async function untilRefused(port: number): Promise<void> {
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

async function sendGarbage(port: number, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.end(bytes)
  await text(socket)
}
