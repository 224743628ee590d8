import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import type { LdapStoreSettings } from '../../../src/users/ldap/settings.ts'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { type SlapdServer, startSlapd } from '../../servers/slapd.ts'
import { expectSurvived } from '../remote/outage.ts'
import { password, signInRun } from '../sign-in-run.ts'
import { ldapSettings } from './settings-of.ts'

const TIMEOUT_MS = 1_000
/** That of the settings and, on a machine that runs other tests as well, a late timer. */
const IN_TIME_MS = TIMEOUT_MS + 1_000
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

/** Over StartTLS unless told otherwise. */
function openStore(more: Partial<LdapStoreSettings> = {}): UserStore {
  const guard = createRemoteGuard({ timeoutMs: TIMEOUT_MS, pauseMs: 200 })
  const settings = ldapSettings(slapd, { startTls: true, ca: certificate.certificate, timeoutMs: TIMEOUT_MS, ...more })
  const store = openLdapStore(settings, { guard })
  onTestFinished(() => store.close())
  return store
}

const readersPassword = (userPassword: string) => slapd.replace(slapd.reader.dn, { userPassword })

const OUTAGES: readonly [how: string, fail: () => Promise<unknown>, mend: () => Promise<unknown>][] = [
  ['stopped', () => slapd.halt(), () => slapd.restart()],
  ['paused', () => Promise.resolve(slapd.pause()), () => Promise.resolve(slapd.resume())],
  ['given another password for us', () => readersPassword('another'), () => readersPassword(slapd.reader.password)],
  [
    "restarted with a stranger's certificate",
    async () => slapd.restart(await makeCertificate()),
    () => slapd.restart(certificate),
  ],
]

describe('during a run of sign-ins', () => {
  test.each(OUTAGES)(
    'a directory that is %s gives 503 in time, lets nobody in, and serves again when it is back',
    async (_how, fail, mend) => {
      const times = { timeoutMs: TIMEOUT_MS, inTimeMs: IN_TIME_MS }
      const meanwhile = await expectSurvived(openStore(), { fail, mend }, times)
      const refusedAtOnce = meanwhile.filter(({ tookMs }) => tookMs < 100)
      expect(refusedAtOnce.length / meanwhile.length).toBeGreaterThan(0.9)
    },
  )

  test('a directory that restarts loses the sign-ins of that moment, and none before or after', async () => {
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
})

describe('a directory', () => {
  test('that takes a while is waited for', async () => {
    const store = openStore()
    slapd.pause()
    const slow = store.authenticate('ada', password)
    await sleep(TIMEOUT_MS / 2)
    slapd.resume()
    expect(await slow).toEqual(IN)
  })

  test('that refuses the account of this app is no wrong password of a viewer, and readiness says so', async () => {
    const store = openStore({ bindPassword: 'SERVICEMARKER' })
    const refusal = 'check LDAP_BIND_DN and LDAP_BIND_PASSWORD'
    await expect(store.authenticate('ada', password)).rejects.toThrow(refusal)
    await expect(store.find?.('ada')).rejects.toThrow(refusal)
    const error: unknown = await store.checkHealth().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UpstreamError)
    expect(`${(error as Error).message} ${(error as Error).stack}`).not.toContain('SERVICEMARKER')
  })

  test('whose search base is another says so, also to who asks for readiness, and is not left alone for it', async () => {
    const store = openStore({ searchBase: 'ou=elsewhere,dc=example,dc=test' })
    for (let time = 0; time < 6; time += 1) {
      await expect(store.authenticate('ada', password)).rejects.toThrow(
        'Code: 0x20; nothing is where a search begins: check LDAP_SEARCH_BASE',
      )
    }
    await expect(store.checkHealth()).rejects.toThrow('LDAP_SEARCH_BASE')
  })
})

describe('the certificate of a directory', () => {
  const ways: [string, () => Partial<LdapStoreSettings>][] = [
    ['StartTLS', () => ({})],
    ['ldaps', () => ({ url: slapd.ldapsUrl, startTls: false })],
  ]
  test.each(ways)('is accepted over %s for the address in the settings', async (_way, more) => {
    expect(await openStore(more()).authenticate('ada', password)).toEqual(IN)
    const byName = { ...more(), url: (more().url ?? slapd.ldapUrl).replace('127.0.0.1', 'localhost') }
    expect(await openStore(byName).authenticate('ada', password)).toEqual(IN)
  })

  test.each(ways)('of nobody that Node knows is refused over %s, whatever the environment says', async (_way, more) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const unknown = openStore({ ...more(), ca: null })
    await expect(unknown.authenticate('ada', password)).rejects.toThrow(
      /DEPTH_ZERO_SELF_SIGNED_CERT.*; check its certificate, LDAP_CA_FILE/,
    )
    const strangers = openStore({ ...more(), ca: (await makeCertificate()).certificate })
    await expect(strangers.authenticate('ada', password)).rejects.toThrow(/self-signed certificate|unable to verify/)
  })

  test('of another host is refused over StartTLS and over ldaps', async () => {
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
