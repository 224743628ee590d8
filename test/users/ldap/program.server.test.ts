import { expect, onTestFinished, test, vi } from 'vitest'
import { programSettings, startLoginProgram } from '../../login/login-program.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { startLoginService } from '../../servers/login-service.ts'
import { PEOPLE, startSlapd } from '../../servers/slapd.ts'

const PASSWORD = 'PASSWORDMARKER'
const ADA = { username: 'ada', password: PASSWORD, groups: ['staff'], attributes: {}, disabled: false }

/** Starts the login app with this store. Returns functions for a sign-in, for readiness and for the output. */
async function startWith(settings: Readonly<Record<string, string>>) {
  const { port, output } = await startLoginProgram({ ...programSettings(), ALLOWED_GROUPS: 'staff', ...settings })
  const post = async (password: string) => {
    const init = {
      method: 'POST',
      body: new URLSearchParams({ username: 'ADA', password }),
      redirect: 'manual',
    } as const
    const answer = await fetch(`http://127.0.0.1:${port}/sign-in`, init)
    return { status: answer.status, location: decodeURIComponent(answer.headers.get('location') ?? '') }
  }
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status
  return { post, ready, output }
}

test('the login app signs viewers of a directory in, is not ready while the directory is down, and logs no secret', async () => {
  const tls = await makeCertificate()
  const slapd = await startSlapd([ADA], tls)
  onTestFinished(() => slapd.stop())
  const { post, ready, output } = await startWith({
    USER_STORE_URL: slapd.ldapUrl,
    LDAP_START_TLS: 'off',
    LDAP_BIND_DN: slapd.reader.dn,
    LDAP_BIND_PASSWORD: slapd.reader.password,
    LDAP_SEARCH_BASE: PEOPLE,
    LDAP_TIMEOUT_SECONDS: '1',
  })
  expect(await ready()).toBe(200)
  expect(await post(PASSWORD)).toMatchObject({ status: 303, location: expect.stringContaining('[{"user":"ada"}') })
  expect(await post('wrong')).toMatchObject({ status: 401 })
  await slapd.halt()
  for (let time = 0; time < 7; time += 1) expect(await post(PASSWORD)).toMatchObject({ status: 503, location: '' })
  expect(await ready()).toBe(503)
  expect(output()).toContain('ECONNREFUSED')
  await slapd.restart()
  await vi.waitFor(async () => expect(await post(PASSWORD)).toMatchObject({ status: 303 }), {
    timeout: 10_000,
    interval: 200,
  })
  await expect.poll(ready).toBe(200)
  await expect.poll(output).toContain('The user store answers again.')
  for (const secret of [PASSWORD, slapd.reader.password]) expect(output()).not.toContain(secret)
})

test('the login app signs viewers of a login service in, and logs no secret', async () => {
  const service = await startLoginService([ADA])
  onTestFinished(() => service.halt())
  const settings = { USER_STORE_URL: service.url(), HTTP_STORE_TOKEN: service.token }
  const { post, ready, output } = await startWith(settings)
  expect(await ready()).toBe(200)
  expect(await post(PASSWORD)).toMatchObject({ status: 303, location: expect.stringContaining('[{"user":"ada"}') })
  expect(await post('wrong')).toMatchObject({ status: 401 })
  await service.halt()
  expect(await post(PASSWORD)).toMatchObject({ status: 503, location: '' })
  for (const secret of [PASSWORD, service.token]) expect(output()).not.toContain(secret)
})
