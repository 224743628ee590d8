import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import PACKAGE from '../../../package.json' with { type: 'json' }
import { CLIENT, startProvider } from '../../features/sso/start-provider.ts'
import { visitProvider } from '../../features/sso/start-sso.ts'
import { ADA, addAda, programSettings } from '../../login/login-program.ts'
import { runLoginProgram, startLoginProgram } from '../../login/start-program.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'

async function takenPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return String((server.address() as AddressInfo).port)
}

async function refusalOf(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(sent)
  return await text(socket)
}

/** Signs in in the window, without the frame. Returns the status of the callback. */
async function signInAtProvider(app: string, origin: string): Promise<number> {
  const body = new URLSearchParams({ flow: 'f'.repeat(43) })
  const started = await fetch(`${app}/sso/start`, { method: 'POST', body, headers: { Origin: origin } })
  const address = started.headers.get('refresh')?.replace('0; url=', '') ?? ''
  const Cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return (await fetch(`${app}${await visitProvider(address)}`, { headers: { Cookie } })).status
}

test('the metrics port counts sign-ins and faults, times requests, and names no viewer', async () => {
  const own = programSettings()
  const redirectUri = `${own.PUBLIC_URL}/sso/callback`
  const { issuer } = await startProvider({ redirectUri, signsIn: 'ada' })
  const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.clientId, OIDC_CLIENT_SECRET: CLIENT.secret }
  const settings = { ...own, ...oidc, METRICS_PORT: '0' }
  await addAda(settings)
  const { port, output, child, ended } = await startLoginProgram(settings)
  const [first = ''] = output().split('\n')
  const { metricsPort } = JSON.parse(first) as { metricsPort: number }
  const signIn = async (password: string) => {
    const body = new URLSearchParams({ ...ADA, password })
    return (await fetch(`http://127.0.0.1:${port}/sign-in`, { method: 'POST', body, redirect: 'manual' })).status
  }
  expect([await signIn('wrong'), await signIn('wrong'), await signIn(ADA.password)]).toEqual([401, 401, 303])

  for (let count = 0; count < 5; count += 1) await signIn('wrong')
  expect(await signIn('wrong')).toBe(429)

  const refusal = await refusalOf(port, 'garbage\r\n\r\n')
  expect(refusal).toMatch(/^HTTP\/1\.1 400 .*\r\nContent-Security-Policy: default-src 'none';.*frame-ancestors 'none'/s)
  expect(refusal).toMatch(/\r\nCache-Control: no-store\r\n.*\r\nX-Content-Type-Options: nosniff\r\n/s)

  const windowStatus = await signInAtProvider(`http://127.0.0.1:${port}`, own.PUBLIC_URL ?? '')
  expect(windowStatus).toBe(200)

  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const page = await answer.text()
  const lines = page.split('\n')
  expect(lines).toContain('viewer_auth_sign_ins_total{outcome="wrong-credentials",entry_point="default"} 7')
  expect(lines).toContain('viewer_auth_sign_ins_total{outcome="signed-in",entry_point="default"} 1')
  const rateLimited = 'outcome="held-back",entry_point="default",limit="account-and-address"'
  expect(lines).toContain(`viewer_auth_sign_ins_total{${rateLimited}} 1`)
  expect(lines).toContain('viewer_auth_request_duration_seconds_count{method="POST",status="401"} 7')
  expect(lines).toContain('viewer_auth_request_duration_seconds_count{method="POST",status="500"} 0')
  expect(lines).toContain('viewer_auth_client_faults_total{fault="malformed"} 1')
  expect(lines).toContain('viewer_auth_sign_ins_total{outcome="looping",entry_point="default"} 0')
  expect(lines).toContain('viewer_auth_store_up{store="users"} 1')
  expect(lines).toContain('viewer_auth_store_up{store="sessions"} 1')
  expect(lines).toContain('viewer_auth_store_up{store="provider"} 1')
  expect(lines).toContain('viewer_auth_sign_ins_total{outcome="sso-signed-in",entry_point="default"} 1')
  expect(lines).toContain('viewer_auth_provider_duration_seconds_count{result="signed-in"} 1')
  expect(lines).toContain('viewer_auth_sign_in_windows 0')
  expect(lines).toContain('viewer_auth_password_checks{state="waiting"} 0')
  expect(lines).toContain('viewer_auth_sessions 1')
  expect(lines).toContain(
    `viewer_auth_build_info{version="${PACKAGE.version}",node_version="${process.versions.node}"} 1`,
  )
  expect(page).toMatch(/^process_resident_memory_bytes \d+$/m)
  expect(page).not.toContain(ADA.username)

  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method: 'POST' })).status).toBe(405)
  child.kill('SIGTERM')
  expect((await ended).status).toBe(0)
})

test('an app with passkeys alone counts the sign-ins in a window', async () => {
  const settings = { ...programSettings(), PUBLIC_URL: 'http://localhost:3000', PASSKEYS: 'on', METRICS_PORT: '0' }
  await addAda(settings)
  const { output, child, ended } = await startLoginProgram(settings)
  const { metricsPort } = JSON.parse(output().split('\n')[0] ?? '') as { metricsPort: number }
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(page).toMatch(/^viewer_auth_sign_in_windows 0$/m)
  child.kill('SIGTERM')
  await ended
})

test('no metrics port is opened without METRICS_PORT', async () => {
  const { output, child, ended } = await startLoginProgram(programSettings())
  expect(output()).not.toContain('metricsPort')
  child.kill('SIGTERM')
  await ended
})

test('METRICS_PORT must differ from PORT, unless both are 0', () => {
  expect(mistakesIn({ ...SETTINGS, METRICS_PORT: '3000' })).toEqual([expect.stringMatching(/^METRICS_PORT .* PORT/)])
  expect(mistakesIn({ ...SETTINGS, PORT: '0', METRICS_PORT: '0' })).toEqual([])
})

test.each(['METRICS_PORT', 'PORT'])('a taken %s ends the start with one sentence', async (name) => {
  const port = await takenPort()
  const settings = { ...programSettings(), METRICS_PORT: '0', [name]: port }
  const { status, stderr } = await runLoginProgram(settings).ended
  expect(status).toBe(1)
  expect(stderr).toMatch(new RegExp(`^(METRICS_PORT: port|Port) ${port} [^\\n]+\\.\\n$`))
  expect(stderr.startsWith('METRICS_PORT')).toBe(name === 'METRICS_PORT')
})
