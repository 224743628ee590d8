import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConfigError, UpstreamError } from '../../../src/errors.ts'
import { directoryOf, withDirectory } from '../../../src/users/ldap/connection.ts'
import type { LdapStoreSettings } from '../../../src/users/ldap/settings.ts'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { type ScriptedDirectory, startScriptedDirectory } from '../../servers/scripted-directory.ts'
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

function openStore(more: Partial<LdapStoreSettings> = {}) {
  const warn = vi.fn<(message: string, cause?: unknown) => void>()
  const guard = createRemoteGuard({ timeoutMs: 1_000, failures: 3, pauseMs: 100 })
  const store = openLdapStore(ldapSettings(directory, more), { guard, warn })
  onTestFinished(() => store.close())
  return { store, warn }
}

/** As a domain controller says it, with the NUL at its end. */
function inActiveDirectory(data: string): string {
  return `80090308: LdapErr: DSID-0C090447, comment: AcceptSecurityContext error, data ${data}, v3839\0`
}

describe('of the refusals of Active Directory', () => {
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
  ])('data %s means %s, and the operator learns why', async (data, reason, note) => {
    const { store, warn } = openStore()
    directory.follow({ ...FINE, bind: () => ({ code: INVALID, message: inActiveDirectory(data) }) })
    expect(await store.authenticate('ada', 'secret')).toEqual({ ok: false, reason })
    expect(warn.mock.calls).toEqual(note === null ? [] : [[`In the directory, ${JSON.stringify(ADA.dn)} ${note}.`]])
    expect(warn.mock.calls.join()).not.toContain('secret')
  })

  test('none tells anything of a name that nobody has', async () => {
    const { store, warn } = openStore()
    directory.follow({ entries: [], bind: () => ({ code: INVALID, message: inActiveDirectory('533') }) })
    expect(await store.authenticate('nobody', 'secret')).toEqual(WRONG)
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('a directory that answers', () => {
  test('is asked to bind as nobody for an unknown name, and even its yes opens nothing', async () => {
    const { store } = openStore()
    directory.follow({ entries: [] })
    expect(await store.authenticate('nobody', 'secret')).toEqual(WRONG)
    expect(directory.binds.at(-1)).toMatchObject({ dn: 'cn=nobody-of-this-name,ou=people,dc=example,dc=test' })
  })

  test.each([
    ['too many tries (19)', 19],
    ['no such entry (32)', 32],
    ['no password (48)', 48],
    ['no right (50)', 50],
    ['unwilling (53)', 53],
  ])(
    '%s for one account refuses this one, tells the operator, and is no outage for the others',
    async (_what, code) => {
      const { store, warn } = openStore()
      directory.follow({ ...FINE, bind: () => ({ code, message: 'the words of the directory' }) })
      for (let time = 0; time < 5; time += 1) expect(await store.authenticate('ada', 'secret')).toEqual(WRONG)
      expect(warn).toHaveBeenCalledTimes(5)
      expect(warn.mock.lastCall?.[0]).toContain('the words of the directory')
      directory.follow(FINE)
      expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
    },
  )

  test.each([
    ['an error of its own (1)', 1],
    ['with a referral (10)', 10],
    ['that it wants encryption (13)', 13],
    ['something else (80)', 80],
  ])('to a password %s signs nobody in, and is no wrong password', async (_what, code) => {
    const { store } = openStore()
    directory.follow({ ...FINE, bind: () => ({ code, message: 'ldap://elsewhere.example' }) })
    for (let time = 0; time < 5; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow('did not check a password')
    }
    directory.follow(FINE)
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test.each([
    ['busy', 51],
    ['unavailable', 52],
  ])('that it is %s is as good as away', async (_what, code) => {
    const { store } = openStore()
    directory.follow({ ...FINE, bind: () => ({ code }) })
    for (let time = 0; time < 3; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow(UpstreamError)
    }
    await expect(store.authenticate('ada', 'secret')).rejects.toThrow('several times in a row')
  })

  test('to a search that it is too much signs nobody in, and is no outage for the others', async () => {
    const { store } = openStore()
    directory.follow({ ...FINE, search: { code: 11, message: 'administrative limit exceeded' } })
    for (let time = 0; time < 5; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow('administrative limit exceeded')
      await expect(store.find?.('ada')).rejects.toThrow(UpstreamError)
    }
    directory.follow(FINE)
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test('with references to elsewhere is not followed there', async () => {
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
    ['a user name that no response could carry', [{ ...ADA, attributes: { uid: ['a|b'] } }], 'told a user name that'],
  ])('with %s signs nobody in, and is no outage for the others', async (_what, entries, message) => {
    const { store } = openStore()
    directory.follow({ ...FINE, entries })
    for (let time = 0; time < 5; time += 1) {
      await expect(store.authenticate('ada', 'secret')).rejects.toThrow(message)
      await expect(store.find?.('ada')).rejects.toThrow(message)
    }
    directory.follow(FINE)
    expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT)
  })

  test('about somebody else than the one who was looked up finds nobody', async () => {
    const { store } = openStore()
    directory.follow({ entries: [{ ...ADA, attributes: { uid: ['bob'], mail: ['ada'] } }] })
    expect(await store.find?.('ada')).toBeNull()
    expect(await store.authenticate('ada', 'secret')).toMatchObject({ ok: true, viewer: { username: 'bob' } })
  })
})

test('an empty password is not handed to a directory, which may take it for an anonymous bind', async () => {
  const { store } = openStore()
  directory.follow(FINE)
  const binds = directory.binds.length
  expect(await store.authenticate('ada', '')).toEqual(WRONG)
  expect(directory.binds).toHaveLength(binds)
})

test.each([
  ['the address that is connected to', '127.0.0.1', 'IP:127.0.0.1', true],
  ['a name that the address may have', '127.0.0.1', 'DNS:localhost', false],
  ['an address that the name has', 'localhost', 'IP:127.0.0.1', false],
])('behind StartTLS, a certificate for %s is right or wrong for %s', async (_what, host, name, isRight) => {
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

describe('a connection that is cut', () => {
  test.each([
    ['in the clear', false],
    ['with StartTLS', true],
  ])('%s is never made anew: the password of the viewer goes nowhere', async (_how, startTls) => {
    const { store } = openStore({ startTls, ca: certificate.certificate })
    directory.follow({ ...FINE, cutAfter: 'search' })
    const [connections, binds] = [directory.connections(), directory.binds.length]
    await expect(store.authenticate('ada', 'PASSWORDMARKER')).rejects.toThrow(UpstreamError)
    // The answer is read before the end of the connection is seen; here the end is waited for.
    const connecting = directoryOf(ldapSettings(directory, { startTls, ca: certificate.certificate }))
    const late = Promise.withResolvers<void>()
    const work = withDirectory(connecting, new AbortController().signal, async (client) => {
      await client.search('dc=example')
      // Behind StartTLS the library does not see it.
      await vi.waitFor(() => expect(startTls ? directory.open() > 0 : client.isConnected).toBe(false))
      client.bind(ADA.dn, 'PASSWORDMARKER').then(late.resolve, late.resolve)
      await late.promise
    })
    await expect(work).rejects.toThrow('connection')
    // Behind StartTLS it writes into the closed connection, and waits for ever.
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
  ])('because StartTLS is %s carries no password at all', async (_how, script) => {
    const { store } = openStore({ startTls: true, ca: certificate.certificate })
    directory.follow({ ...FINE, ...script })
    const binds = directory.binds.length
    await expect(store.authenticate('ada', 'PASSWORDMARKER')).rejects.toThrow(UpstreamError)
    await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
    expect(directory.binds).toHaveLength(binds)
  })

  test('with a reset harms nobody else', async () => {
    const { store } = openStore()
    directory.follow({ ...FINE, cutAfter: 'search', isReset: true })
    const all = Array.from({ length: 20 }, () => store.authenticate('ada', 'PASSWORDMARKER'))
    for (const one of all) await expect(one).rejects.toThrow(UpstreamError)
    directory.follow(FINE)
    await vi.waitFor(async () => expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT))
  })

  test('because nothing follows on StartTLS ends in time, and is closed', async () => {
    const { store } = openStore({ startTls: true, ca: certificate.certificate })
    directory.follow({ ...FINE, isSilent: true })
    const all = Array.from({ length: 20 }, () => store.authenticate('ada', 'PASSWORDMARKER'))
    for (const one of all) await expect(one).rejects.toThrow(UpstreamError)
    await vi.waitFor(() => expect(directory.open()).toBe(0))
    directory.follow(FINE)
    await vi.waitFor(async () => expect(await store.authenticate('ada', 'secret')).toEqual(RIGHT))
  })

  test('of many at once with StartTLS are kept apart, each encrypted', async () => {
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
  'the filter %s is refused as the store is opened',
  (userFilter) => {
    expect(() => openLdapStore(ldapSettings(directory, { userFilter }))).toThrow(ConfigError)
    const groups = { base: 'dc=example', filter: userFilter }
    expect(() => openLdapStore(ldapSettings(directory, { groups }))).toThrow(/^LDAP_GROUP_FILTER/)
  },
)
