import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import type { LdapStoreSettings } from '../../../src/users/ldap/settings.ts'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { expectSurvived } from '../remote/outage.ts'
import { password, signInRun } from '../sign-in-run.ts'
import { ldapSettings } from './settings-of.ts'
import { type SlapdServer, startSlapd } from './slapd.ts'

const TIMEOUT_MS = 500
/** The timeout, and time for late timers on a busy machine. */
const IN_TIME_MS = TIMEOUT_MS + 2_000
const ADA = { username: 'ada', password, groups: [], attributes: {}, disabled: false }
const IN = { ok: true, viewer: { username: 'ada', groups: [], attributes: {} } }

let certificate: Certificate
let slapd: SlapdServer
beforeAll(async () => {
  certificate = await makeCertificate()
  slapd = await startSlapd([ADA], certificate)
})
afterAll(async () => {
  await slapd.stop()
})

/** Uses StartTLS by default. */
function openStore(more: Partial<LdapStoreSettings> = {}): UserStore {
  const guard = createRemoteGuard({ timeoutMs: TIMEOUT_MS, pauseMs: 200 })
  const settings = ldapSettings(slapd, { startTls: true, ca: certificate.certificate, timeoutMs: TIMEOUT_MS, ...more })
  const store = openLdapStore(settings, { guard })
  onTestFinished(() => store.close())
  return store
}

const readersPassword = (userPassword: string) => slapd.replace(slapd.reader.dn, { userPassword })

const OUTAGES: readonly [how: string, fail: () => Promise<unknown>, restore: () => Promise<unknown>][] = [
  ['that is stopped', () => slapd.halt(), () => slapd.restart()],
  ['that is paused', () => Promise.resolve(slapd.pause()), () => Promise.resolve(slapd.resume())],
  ['that rejects the service account', () => readersPassword('another'), () => readersPassword(slapd.reader.password)],
  [
    'that restarted with an unknown certificate',
    async () => slapd.restart(await makeCertificate()),
    () => slapd.restart(certificate),
  ],
]

test.each(OUTAGES)(
  'a directory %s gives errors within the timeout, admits no viewer, and serves again after its return',
  async (_how, fail, restore) => {
    const times = { timeoutMs: TIMEOUT_MS, inTimeMs: IN_TIME_MS }
    const meanwhile = await expectSurvived(openStore(), { fail, restore }, times)
    const refusedAtOnce = meanwhile.filter(({ tookMs }) => tookMs < 100)
    expect(refusedAtOnce.length / meanwhile.length).toBeGreaterThan(0.9)
  },
)

test('a directory that restarts fails only the sign-ins at that moment', async () => {
  const store = openStore({ startTls: false, ca: null })
  const run = signInRun(store)
  const end = run.start()
  onTestFinished(end)
  await run.until('in')
  await slapd.restart()
  await run.recover()
  run.outcomes.length = 0
  await run.until('in')
  await run.until('refused')
  await end()
  expect(run.outcomes.filter(({ outcome }) => outcome === 'away')).toEqual([])
})

test('a slow directory can use the whole timeout', async () => {
  const store = openStore()
  slapd.pause()
  const slow = store.authenticate('ada', password)
  await sleep(TIMEOUT_MS / 2)
  slapd.resume()
  expect(await slow).toEqual(IN)
})

test('a rejected service account fails sign-ins and readiness, and is not a wrong password', async () => {
  const store = openStore({ bindPassword: 'SERVICEMARKER' })
  const refusal = /LDAP_BIND_DN and LDAP_BIND_PASSWORD/
  await expect(store.authenticate('ada', password)).rejects.toThrow(refusal)
  await expect(store.find?.('ada')).rejects.toThrow(refusal)
  const error: unknown = await store.checkHealth().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UpstreamError)
  expect(`${(error as Error).message} ${(error as Error).stack}`).not.toContain('SERVICEMARKER')
})

test('a wrong search base fails sign-ins and readiness, is named, and does not trip the breaker', async () => {
  const store = openStore({ searchBase: 'ou=elsewhere,dc=example,dc=test' })
  for (let time = 0; time < 6; time += 1) {
    await expect(store.authenticate('ada', password)).rejects.toThrow(/Code: 0x20.*LDAP_SEARCH_BASE/)
  }
  await expect(store.checkHealth()).rejects.toThrow('LDAP_SEARCH_BASE')
})

describe('the certificate of a directory', () => {
  const ways: [string, () => Partial<LdapStoreSettings>][] = [
    ['StartTLS', () => ({})],
    ['ldaps', () => ({ url: slapd.ldapsUrl, startTls: false })],
  ]
  test.each(ways)('a certificate for the host in USER_STORE_URL is accepted over %s', async (_way, more) => {
    expect(await openStore(more()).authenticate('ada', password)).toEqual(IN)
    const byName = { ...more(), url: (more().url ?? slapd.ldapUrl).replace('127.0.0.1', 'localhost') }
    expect(await openStore(byName).authenticate('ada', password)).toEqual(IN)
  })

  test.each(ways)(
    'a certificate of an unknown CA is refused over %s, even if NODE_TLS_REJECT_UNAUTHORIZED is 0',
    async (_way, more) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
      onTestFinished(() => void vi.unstubAllEnvs())
      const unknown = openStore({ ...more(), ca: null })
      await expect(unknown.authenticate('ada', password)).rejects.toThrow(/DEPTH_ZERO_SELF_SIGNED_CERT.*LDAP_CA_FILE/)
      const other = openStore({ ...more(), ca: (await makeCertificate()).certificate })
      await expect(other.authenticate('ada', password)).rejects.toThrow(/self-signed certificate|unable to verify/)
    },
  )

  test('a certificate of another host is refused over StartTLS and over ldaps', async () => {
    const other = await makeCertificate(['DNS:elsewhere.example', 'IP:127.0.0.2'])
    await slapd.restart(other)
    try {
      for (const [, more] of ways) {
        for (const host of ['127.0.0.1', 'localhost']) {
          const url = (more().url ?? slapd.ldapUrl).replace('127.0.0.1', host)
          const store = openStore({ ...more(), url, ca: other.certificate })
          await expect(store.authenticate('ada', password)).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID')
        }
      }
    } finally {
      await slapd.restart(certificate)
    }
  })
})
