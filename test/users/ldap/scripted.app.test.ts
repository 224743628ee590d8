import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConfigError, UpstreamError } from '../../../src/errors.ts'
import { directoryOf, withDirectory } from '../../../src/users/ldap/connection.ts'
import type { LdapStoreSettings } from '../../../src/users/ldap/settings.ts'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { type ScriptedDirectory, startScriptedDirectory } from './scripted-directory.ts'
import { ldapSettings } from './settings-of.ts'

const ADA = {
  dn: 'CN=Ada\\, Countess,OU=People,DC=corp,DC=example',
  attributes: { uid: ['ada'], memberOf: ['CN=Gold\\, silver,OU=Groups,DC=corp'] },
}
const RIGHT = { ok: true, viewer: { username: 'ada', groups: ['Gold, silver'], attributes: {} } }
const WRONG = { ok: false, reason: 'wrong-credentials' }
const INVALID = 49
const FINE = { entries: [ADA], bind: () => ({ code: 0 }) }

let certificate: Certificate
let directory: ScriptedDirectory
beforeAll(async () => {
  certificate = await makeCertificate()
  directory = await startScriptedDirectory(certificate)
})
afterEach(() => directory.follow({}))
afterAll(async () => {
  await directory.stop()
})

function openStore(more: Partial<LdapStoreSettings> = {}, timeoutMs = 5_000) {
  const warn = vi.fn<(message: string, cause?: unknown) => void>()
  const guard = createRemoteGuard({ timeoutMs, failures: 3, pauseMs: 100 })
  const store = openLdapStore(ldapSettings(directory, more), { guard, warn })
  onTestFinished(() => store.close())
  return { store, warn }
}

/** The message of a domain controller, with its NUL at the end. */
function inActiveDirectory(data: string): string {
  return `80090308: LdapErr: DSID-0C090447, comment: AcceptSecurityContext error, data ${data}, v3839\0`
}

describe('the refusals of Active Directory', () => {
  test.each([
    ['525', 'wrong-credentials', null],
    ['52e', 'wrong-credentials', null],
    ['530', 'disabled', 'may not sign in at this time (data 530)'],
    ['531', 'disabled', 'may not sign in from this machine (data 531)'],
    ['532', 'expired-password', 'has an expired password (data 532)'],
    ['533', 'disabled', 'is disabled (data 533)'],
    ['701', 'disabled', 'is an expired account (data 701)'],
    ['773', 'expired-password', 'must change the password first (data 773)'],
    ['775', 'wrong-credentials', 'is locked after too many wrong passwords (data 775)'],
    ['57', 'wrong-credentials', null],
    ['5320', 'wrong-credentials', null],
  ])('the refusal %s of Active Directory means %s, and the log names the reason', async (data, reason, note) => {
    const { store, warn } = openStore()
    directory.follow({ ...FINE, bind: () => ({ code: INVALID, message: inActiveDirectory(data) }) })
    expect(await store.authenticate('ada', 'secret')).toEqual({ ok: false, reason })
    expect(warn.mock.calls).toEqual(note === null ? [] : [[`In the directory, ${JSON.stringify(ADA.dn)} ${note}.`]])
    expect(warn.mock.calls.join()).not.toContain('secret')
  })

  test('a refusal of Active Directory for an unknown user is a wrong password', async () => {
    const { store, warn } = openStore()
    directory.follow({ entries: [], bind: () => ({ code: INVALID, message: inActiveDirectory('533') }) })
    expect(await store.authenticate('nobody', 'secret')).toEqual(WRONG)
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('a directory that answers', () => {
  test('the bind for an unknown user admits no viewer, even if it succeeds', async () => {
    const { store } = openStore()
    directory.follow({ entries: [] })
    expect(await store.authenticate('nobody', 'secret')).toEqual(WRONG)
    expect(directory.binds.at(-1)).toMatchObject({ dn: 'cn=no-such-user,ou=people,dc=example,dc=test' })
  })

  test.each([
    ['too many attempts (19)', 19],
    ['no such entry (32)', 32],
    ['no password (48)', 48],
    ['no permission (50)', 50],
    ['unwilling (53)', 53],
  ])('a refusal of one account with %s is logged, and does not trip the breaker', async (_what, code) => {
    const { store, warn } = openStore()
    directory.follow({ ...FINE, bind: () => ({ code, message: 'the message of the directory' }) })
    for (let time = 0; time < 5; time += 1) expect(await store.authenticate('ada', 'secret')).toEqual(WRONG)
    expect(warn).toHaveBeenCalledTimes(5)
    expect(warn.mock.lastCall?.[0]).toContain('the message of the directory')
    directory.follow(FINE)
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test.each([
    ['with an internal error (1)', 1],
    ['with a referral (10)', 10],
    ['that requires encryption (13)', 13],
    ['with another error (80)', 80],
  ])('an answer to a bind %s is a failure, not a wrong password', async (_what, code) => {
    const { store } = openStore()
    directory.follow({ ...FINE, bind: () => ({ code, message: 'ldap://elsewhere.example' }) })
    for (let time = 0; time < 5; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow(UpstreamError)
    }
    directory.follow(FINE)
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test.each([
    ['busy', 51],
    ['unavailable', 52],
  ])('a directory that is %s trips the breaker', async (_what, code) => {
    const { store } = openStore()
    directory.follow({ ...FINE, bind: () => ({ code }) })
    for (let time = 0; time < 3; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow(UpstreamError)
    }
    const connections = directory.connections()
    await expect(store.authenticate('ada', 'secret')).rejects.toThrow(UpstreamError)
    expect(directory.connections()).toBe(connections)
  })

  test('a search that exceeds a limit is a failure, and does not trip the breaker', async () => {
    const { store } = openStore()
    directory.follow({ ...FINE, search: { code: 11, message: 'administrative limit exceeded' } })
    for (let time = 0; time < 5; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow('administrative limit exceeded')
      await expect(store.find?.('ada')).rejects.toThrow(UpstreamError)
    }
    directory.follow(FINE)
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test('a referral is not followed', async () => {
    const { store } = openStore()
    const elsewhere = await startScriptedDirectory()
    onTestFinished(() => elsewhere.stop())
    directory.follow({ references: [`${elsewhere.ldapUrl}/dc=example`] })
    expect(await store.authenticate('ada', 'secret')).toEqual(WRONG)
    directory.follow({ ...FINE, references: [`${elsewhere.ldapUrl}/dc=example`] })
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
    directory.follow({ search: { code: 10, message: elsewhere.ldapUrl } })
    await expect(store.authenticate('ada', 'secret')).rejects.toThrow(UpstreamError)
    expect(elsewhere.connections()).toBe(0)
  })

  test.each([
    ['two entries', [ADA, { ...ADA, dn: 'CN=Ada2' }], 'two entries for one user name'],
    ['an entry without a name', [{ ...ADA, dn: '' }], 'an entry without a name'],
    ['an entry without a user name', [{ ...ADA, attributes: {} }], 'LDAP_USERNAME_ATTRIBUTE'],
    ['a user name that no response could carry', [{ ...ADA, attributes: { uid: ['a|b'] } }], /user name/],
  ])('a search that finds %s is a failure, and does not trip the breaker', async (_what, entries, message) => {
    const { store } = openStore()
    directory.follow({ ...FINE, entries })
    for (let time = 0; time < 5; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow(message)
      await expect(store.find?.('ada')).rejects.toThrow(message)
    }
    directory.follow(FINE)
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test('a look-up that finds another user name returns no viewer', async () => {
    const { store } = openStore()
    directory.follow({ entries: [{ ...ADA, attributes: { uid: ['bob'], mail: ['ada'] } }] })
    expect(await store.find?.('ada')).toBeNull()
    expect(await store.authenticate('ada', 'secret')).toMatchObject({ ok: true, viewer: { username: 'bob' } })
  })
})

test('an empty password is refused without a bind, which could be anonymous', async () => {
  const { store } = openStore()
  directory.follow(FINE)
  const binds = directory.binds.length
  expect(await store.authenticate('ada', '')).toEqual(WRONG)
  expect(directory.binds).toHaveLength(binds)
})

test.each([
  ['the address of the connection', '127.0.0.1', 'IP:127.0.0.1', true],
  ['a name of the address', '127.0.0.1', 'DNS:localhost', false],
  ['an address of the name', 'localhost', 'IP:127.0.0.1', false],
])('a certificate for %s is checked against %s over StartTLS', async (_what, host, name, isRight) => {
  const own = await makeCertificate([name])
  const named = await startScriptedDirectory(own)
  onTestFinished(() => named.stop())
  named.follow(FINE)
  const url = named.ldapUrl.replace('127.0.0.1', host)
  const { store } = openStore({ url, startTls: true, ca: own.certificate })
  if (isRight) expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  else await expect(store.authenticate('ada', 'secret')).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(named.binds.length > 0).toBe(isRight)
})

describe('a connection that ends early', () => {
  test.each([
    ['without encryption', false],
    ['with StartTLS', true],
  ])('a lost connection %s is not opened again, and the password is not sent', async (_how, startTls) => {
    const { store } = openStore({ startTls, ca: certificate.certificate })
    directory.follow({ ...FINE, cutAfter: 'search' })
    const connections = directory.connections()
    const binds = directory.binds.length
    await expect(store.authenticate('ada', 'PASSWORDMARKER')).rejects.toThrow(UpstreamError)
    // Wait for the end of the connection, which may arrive after the answer.
    const connecting = directoryOf(ldapSettings(directory, { startTls, ca: certificate.certificate }))
    const late = Promise.withResolvers<void>()
    const work = withDirectory(connecting, new AbortController().signal, async (client) => {
      await client.search('dc=example')
      // ldapts does not notice the end of a StartTLS connection.
      await expect.poll(() => (startTls ? directory.open() > 0 : client.isConnected)).toBe(false)
      client.bind(ADA.dn, 'PASSWORDMARKER').then(late.resolve, late.resolve)
      await late.promise
    })
    await expect(work).rejects.toThrow('connection')
    // Over StartTLS, ldapts writes to the closed connection and waits forever.
    if (!startTls) await late.promise
    expect(directory.connections()).toBe(connections + 2)
    const seen = directory.binds.slice(binds)
    expect(seen.map(({ dn }) => dn)).toEqual([directory.reader.dn, directory.reader.dn])
    expect(seen.every(({ isEncrypted }) => isEncrypted === startTls)).toBe(true)
  })

  test.each([
    ['refused', { startTls: { code: 2, message: 'unsupported extended operation' } }],
    ['refused as unavailable', { startTls: { code: 52 } }],
    ['cut off', { cutAfter: 'startTls' as const }],
    ['cut off with a reset', { cutAfter: 'startTls' as const, isReset: true }],
  ])('no password is sent if StartTLS is %s', async (_how, script) => {
    const { store } = openStore({ startTls: true, ca: certificate.certificate })
    directory.follow({ ...FINE, ...script })
    const binds = directory.binds.length
    await expect(store.authenticate('ada', 'PASSWORDMARKER')).rejects.toThrow(UpstreamError)
    await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
    expect(directory.binds).toHaveLength(binds)
  })

  test('a connection that is reset does not affect later sign-ins', async () => {
    const { store } = openStore()
    directory.follow({ ...FINE, cutAfter: 'search', isReset: true })
    const all = Array.from({ length: 20 }, () => store.authenticate('ada', 'PASSWORDMARKER'))
    for (const one of all) await expect(one).rejects.toThrow(UpstreamError)
    directory.follow(FINE)
    await expect.poll(() => store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test('a connection that hangs during StartTLS is closed after the timeout', async () => {
    const { store } = openStore({ startTls: true, ca: certificate.certificate }, 500)
    directory.follow({ ...FINE, isSilent: true })
    const all = Array.from({ length: 20 }, () => store.authenticate('ada', 'PASSWORDMARKER'))
    for (const one of all) await expect(one).rejects.toThrow(UpstreamError)
    await expect.poll(() => directory.open()).toBe(0)
    directory.follow(FINE)
    await expect.poll(() => store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test('thirty sign-ins at once over StartTLS are all encrypted', async () => {
    const { store } = openStore({ startTls: true, ca: certificate.certificate })
    directory.follow(FINE)
    const binds = directory.binds.length
    const all = await Promise.all(Array.from({ length: 30 }, () => store.authenticate('ada', 'secret')))
    expect(all).toEqual(Array(30).fill(RIGHT))
    const seen = directory.binds.slice(binds)
    expect(seen).toHaveLength(60)
    expect(seen.every(({ isEncrypted }) => isEncrypted)).toBe(true)
  })
})

test.each(['(uid={username}', '(uid={username})(', '(=x)', '(&)'])(
  'the filter %s is refused when the store is opened',
  (userFilter) => {
    expect(() => openLdapStore(ldapSettings(directory, { userFilter }))).toThrow(ConfigError)
    const groups = { base: 'dc=example', filter: userFilter }
    expect(() => openLdapStore(ldapSettings(directory, { groups }))).toThrow(/^LDAP_GROUP_FILTER/)
  },
)
