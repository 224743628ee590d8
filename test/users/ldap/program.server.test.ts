import { expect, onTestFinished, test, vi } from 'vitest'
import { makeCertificate } from '../../servers/certificate.ts'
import { startProgramWithStore } from '../program-with-store.ts'
import { PEOPLE, startSlapd } from './slapd.ts'

const PASSWORD = 'PASSWORDMARKER'
const ADA = { username: 'ada', password: PASSWORD, groups: ['staff'], attributes: {}, disabled: false }

test('the login app signs viewers of a directory in, is not ready while it is down, and logs no secret', async () => {
  const tls = await makeCertificate()
  const slapd = await startSlapd([ADA], tls)
  onTestFinished(() => slapd.stop())
  const { post, ready, output } = await startProgramWithStore({
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
