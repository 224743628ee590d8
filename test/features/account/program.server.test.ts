import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { migratePostgres, openEditablePostgresStore } from '../../../src/users/postgres/editable-store.ts'
import { ADMITTED } from '../../login/admitted.ts'
import { ADA, programSettings } from '../../login/login-program.ts'
import { formOf } from '../../login/start-login-app.ts'
import { type LoginProgram, runLoginProgram, startLoginProgram } from '../../login/start-program.ts'
import { type RedisServer, startRedis } from '../../redis/servers/redis.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'
import { settingsOf } from '../../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../../users/postgres/server.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const MARK = '---------- MESSAGE FOLLOWS ----------'
const STARTS_WITHIN_MS = 60_000

/** Starts Debian's `aiosmtpd` until the test ends. It accepts mails only after STARTTLS. */
async function startDebianMailServer() {
  const folder = temporaryFolder()
  const { certificate, key } = await makeCertificate()
  const caFile = join(folder, 'certificate.pem')
  const keyFile = join(folder, 'key.pem')
  writeFileSync(caFile, certificate)
  writeFileSync(keyFile, key)
  const port = await freePort()
  const args = ['-n', '-l', `127.0.0.1:${port}`, '--tlscert', caFile, '--tlskey', keyFile]
  const handler = ['-c', 'aiosmtpd.handlers.Debugging', 'stdout']
  const child = spawn('/usr/bin/aiosmtpd', [...args, ...handler], {
    env: { PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await untilListening(port)
  return {
    port,
    caFile,
    /** Waits for this many mails, and returns all of them as the server printed them, with their lines joined. */
    async received(count: number) {
      await expect.poll(() => printed.split(MARK).length - 1, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
      // Long lines of a mail end with "=" and continue in the next line.
      return printed.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
    },
  }
}

async function untilListening(port: number): Promise<void> {
  const lastTryMs = performance.now() + STARTS_WITHIN_MS
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    if (performance.now() > lastTryMs) throw new Error('aiosmtpd does not start')
    await wait(50)
  }
}

const NEW_PASSWORD = 'PASSWORDMARKER another heron'
const SECOND_PASSWORD = 'PASSWORDMARKER a third heron'

let postgres: PostgresServer
let redis: RedisServer
beforeAll(async () => {
  const servers = await Promise.all([startPostgres(), startRedis()])
  postgres = servers[0]
  redis = servers[1]
})
afterAll(() => Promise.all([postgres.stop(), redis.remove()]))

/** Creates the tables, the restricted role of the app and the viewer ada. Returns the settings of the app. */
async function settingsWithAda(): Promise<Record<string, string>> {
  const database = await postgres.createDatabase()
  const owner = settingsOf(postgres.url({ database }))
  const app = postgres.url({ database, user: `app_${database}`, password: 'app-password' })
  await migratePostgres(owner, settingsOf(app))
  const store = await openEditablePostgresStore(owner)
  await store.add({ username: ADA.username, ...ADMITTED }, ADA.password)
  await store.close()
  const inRedis = { SESSION_STORE_URL: redis.url, LIMITS_STORE_URL: redis.url, REDIS_KEY_PREFIX: `${database}:` }
  return { ...programSettings(), USER_STORE_URL: app, ...inRedis }
}

function post({ port }: LoginProgram, path: string, fields: Record<string, string>): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: formOf(fields),
    redirect: 'manual',
  })
}

/** Posts a form to both copies at once, and again, and returns the status of all answers. Fails if they differ. */
async function sameAnswers(copies: readonly LoginProgram[], path: string, form: Record<string, string>) {
  const all = await Promise.all(copies.map((copy) => post(copy, path, form)))
  for (const copy of copies) all.push(await post(copy, path, form))
  const texts = new Set(await Promise.all(all.map(async (answer) => `${answer.status} ${await answer.text()}`)))
  expect(texts.size).toBe(1)
  return all[0]?.status
}

test('two copies with one PostgreSQL, one Redis and a mail server of Debian share links, limits and sessions', async () => {
  const mail = await startDebianMailServer()
  const settings = {
    ...(await settingsWithAda()),
    // The CA demands STARTTLS, also on this machine.
    SMTP_URL: `smtp://localhost:${mail.port}`,
    SMTP_CA_FILE: mail.caFile,
    MAIL_FROM: 'Example Video <login@example.com>',
  }
  const copies = await Promise.all([startLoginProgram(settings), startLoginProgram(settings)])
  const [one, two] = copies
  const signIn = await post(one, '/sign-in', ADA)
  const Cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const visit = () => fetch(`http://127.0.0.1:${one.port}/`, { headers: { Cookie }, redirect: 'manual' })
  expect((await visit()).status).toBe(303)

  for (const copy of [one, two, one]) expect((await post(copy, '/account/forgot', ADA)).status).toBe(200)
  expect((await post(two, '/account/forgot', ADA)).status).toBe(429)
  // Within ten seconds, all were one request. A mail has the link three times: in its text, on the button and below.
  const mails = await mail.received(1)
  const tokens = [...new Set([...mails.matchAll(/new-password\?token=([\w-]{43})/g)].map(([, token = '']) => token))]
  expect(tokens).toHaveLength(1)
  const form = { token: tokens[0] ?? '', newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD }
  expect(await sameAnswers(copies, '/account/new-password', form)).toBe(200)
  expect((await visit()).status).toBe(200)
  expect((await post(one, '/sign-in', { ...ADA, password: NEW_PASSWORD })).status).toBe(303)
  const change = { ...ADA, password: NEW_PASSWORD, newPassword: SECOND_PASSWORD, repeatPassword: SECOND_PASSWORD }
  expect(await sameAnswers(copies, '/account/change-password', change)).toBe(200)
  expect(await mail.received(3)).toContain('/account/forgot')
  const logged = copies.map(({ output }) => output()).join('')
  for (const secret of [...tokens, 'PASSWORDMARKER']) expect(logged).not.toContain(secret)
})

test('the app does not start if its role may not store links', async () => {
  const settings = await settingsWithAda()
  const [, user = '', database = ''] = /\/\/([^:]+):.*\/(\w+)$/.exec(settings.USER_STORE_URL ?? '') ?? []
  await postgres.query(`REVOKE DELETE ON viewer_auth.password_links FROM ${user}`, [], database)
  const mail = { SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'login@example.com' }
  const { ended } = runLoginProgram({ ...settings, ...mail })
  expect(await ended).toMatchObject({ status: 1, stderr: expect.stringContaining('GRANT SELECT, INSERT, UPDATE') })
  await startLoginProgram(settings)
})

test('the app starts while its mail server is away, and stops with mails that are not sent', async () => {
  const settings = await settingsWithAda()
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'login@example.com' }
  const program = await startLoginProgram({ ...settings, ...mail })
  expect((await post(program, '/account/forgot', ADA)).status).toBe(200)
  await program.says('"mail-away"')
  program.child.kill('SIGTERM')
  expect(await program.ended).toMatchObject({ status: 0, stdout: expect.stringContaining('dropped') })
})
