import { randomUUID } from 'node:crypto'
import { Client } from 'ldapts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { LdapStoreSettings } from '../../../src/users/ldap/settings.ts'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import type { ContractViewer } from '../user-store-contract.ts'
import { ldapSettings } from './settings-of.ts'
import { dnOf, GROUPS, PEOPLE, type SlapdServer, SUFFIX, startSlapd } from './slapd.ts'

const PASSWORD = 'the right one'
const ODD_NAME = 'we(ird)*\\na,me #1;<>"+='
const WRONG = { ok: false, reason: 'wrong-credentials' }
/** 2026-01-02 in units of 100 ns since 1601. */
const NEXT_DAY = '134117856000000000'
const NOW_SECONDS = Date.UTC(2026, 0, 1) / 1000

function viewerNamed(username: string, groups: readonly string[] = []): ContractViewer {
  return { username, password: PASSWORD, groups, attributes: {}, disabled: false }
}

const GROUP_NAMES = ['Gold, silver + "bronze"', 'Vide\u0301o', 'back\\slash', '#1', ' spaced ']
const viewers = [viewerNamed('ada', GROUP_NAMES), viewerNamed('bob'), viewerNamed(ODD_NAME)]

let slapd: SlapdServer
beforeAll(async () => {
  slapd = await startSlapd(viewers, await makeCertificate())
})
afterAll(async () => {
  await slapd.stop()
})

function openStore(more: Partial<LdapStoreSettings> = {}, nowSeconds = () => NOW_SECONDS) {
  const warn = vi.fn<(message: string) => void>()
  const store = openLdapStore(ldapSettings(slapd, more), { warn, nowSeconds })
  onTestFinished(() => store.close())
  return { store, warn }
}

/** Adds a viewer until the end of the test. */
async function addViewer(username: string, more: Readonly<Record<string, string | readonly string[]>> = {}) {
  const dn = dnOf({ username })
  const person = { objectClass: ['inetOrgPerson', 'extensibleObject'], cn: username, sn: username, uid: username }
  await slapd.add([{ dn, entry: { ...person, userPassword: PASSWORD, ...more } }])
  onTestFinished(() => slapd.remove(dn))
  return dn
}

async function addPolicy(cn: string, rules: Readonly<Record<string, string>>): Promise<string> {
  const dn = `cn=${cn},${SUFFIX}`
  await slapd.add([{ dn, entry: { objectClass: ['device', 'pwdPolicy'], cn, pwdAttribute: 'userPassword', ...rules } }])
  onTestFinished(() => slapd.remove(dn))
  return dn
}

test.each(['*', 'ad*', 'a*a', '\\61da', 'ada)(uid=*', '*)(|(uid=*', 'ada)', '(ada', 'ada\\', 'ada))(|(cn=*', '\\2a'])(
  'the LDAP name %s finds no viewer',
  async (name) => {
    const { store } = openStore({ userFilter: '(|(uid={username})(cn={username}))' })
    expect(await store.authenticate(name, PASSWORD)).toEqual(WRONG)
    expect(await store.find?.(name)).toBeNull()
  },
)

test('a name with the special characters of filters and DNs works', async () => {
  const { store } = openStore()
  const viewer = { username: ODD_NAME, groups: [], attributes: {} }
  expect(await store.authenticate(ODD_NAME, PASSWORD)).toEqual({ ok: true, viewer })
  expect(await store.find?.(ODD_NAME)).toEqual(viewer)
})

test('a viewer found by another attribute is named and looked up by LDAP_USERNAME_ATTRIBUTE', async () => {
  await addViewer('carol', { mail: 'dave' })
  const { store } = openStore({ userFilter: '(|(uid={username})(mail={username}))' })
  const viewer = { username: 'carol', groups: [], attributes: {} }
  expect(await store.authenticate('dave', PASSWORD)).toEqual({ ok: true, viewer })
  expect(await store.find?.('carol')).toEqual(viewer)
  expect(await store.find?.('dave')).toBeNull()
})

test.each(['EXAMPLE\\harry', 'example/harry', 'harry'])('with LDAP_DOMAIN, %s signs in harry', async (typed) => {
  await addViewer('harry')
  const { store } = openStore({ domain: 'EXAMPLE' })
  expect(await store.authenticate(typed, PASSWORD)).toMatchObject({ ok: true, viewer: { username: 'harry' } })
  expect(await store.authenticate('OTHER\\harry', PASSWORD)).toEqual(WRONG)
  expect(await openStore().store.authenticate('EXAMPLE\\harry', PASSWORD)).toEqual(WRONG)
})

test('a refusal has the name of the account only if the viewer typed another name of it', async () => {
  const dn = await addViewer('gina', { mail: 'gina@example.com' })
  const { store } = openStore({ userFilter: '(|(uid={username})(mail={username}))' })
  expect(await store.authenticate('gina@example.com', 'wrong')).toEqual({ ...WRONG, storedName: 'gina' })
  expect(await store.authenticate('GINA', 'wrong')).toEqual(WRONG)
  expect(await store.authenticate('unknown@example.com', 'wrong')).toEqual(WRONG)
  await slapd.replace(dn, { nsAccountLock: 'TRUE' })
  const disabled = { ok: false, reason: 'disabled', storedName: 'gina' }
  expect(await store.authenticate('gina@example.com', PASSWORD)).toEqual(disabled)
})

test('a name with two entries is refused', async () => {
  await addViewer('erin', { mail: 'same@example.com' })
  await addViewer('eve', { mail: 'same@example.com' })
  const { store } = openStore({ userFilter: '(|(uid={username})(mail={username}))' })
  await expect(store.authenticate('same@example.com', PASSWORD)).rejects.toThrow('two entries for one user name')
  expect(await store.authenticate('erin', PASSWORD)).toMatchObject({ ok: true })
})

test('the first of several values in alphabetical order is used', async () => {
  await addViewer('frank', { uid: ['frank', 'anonymous'], roomNumber: ['9', '12'] })
  const attributes = [
    { name: 'seat', attribute: 'ROOMNUMBER' },
    { name: 'mail', attribute: 'mail' },
  ]
  const { store } = openStore({ attributes })
  const viewer = { username: 'anonymous', groups: [], attributes: { seat: '12' } }
  expect(await store.authenticate('frank', PASSWORD)).toEqual({ ok: true, viewer })
})

describe('groups', () => {
  const kept = GROUP_NAMES.map((name) => name.normalize('NFC').trim()).toSorted()

  test('the groups in memberOf are named by their unescaped cn, in NFC', async () => {
    const found = await openStore().store.find?.('ada')
    expect(found?.groups.map((name) => name.trim()).toSorted()).toEqual(kept)
  })

  test('the groups are searched by the service account, since a viewer may not read them', async () => {
    const { store } = openStore({ groups: { base: GROUPS, filter: '(member={dn})' } })
    const signedIn = await store.authenticate('ada', PASSWORD)
    const groups = signedIn.ok ? signedIn.viewer.groups : []
    expect(groups.map((name) => name.trim()).toSorted()).toEqual(kept)
    expect((await store.find?.('bob'))?.groups).toEqual([])
  })

  test('a search for groups escapes the DN of the viewer', async () => {
    const dn = `cn=odd,${GROUPS}`
    await slapd.add([{ dn, entry: { objectClass: 'groupOfNames', cn: 'odd', member: dnOf({ username: ODD_NAME }) } }])
    onTestFinished(() => slapd.remove(dn))
    const { store } = openStore({ groups: { base: GROUPS, filter: '(member={dn})' } })
    expect((await store.find?.(ODD_NAME))?.groups).toEqual(['odd'])
  })

  test('a search for groups reads all pages', async () => {
    const names = Array.from({ length: 1100 }, (_, index) => `many-${index}`)
    // A retry finds the groups of the first try.
    const ou = `many-${randomUUID()}`
    const base = `ou=${ou},${SUFFIX}`
    const entries = names.map((cn) => {
      return { dn: `cn=${cn},${base}`, entry: { objectClass: 'groupOfNames', cn, member: dnOf({ username: 'bob' }) } }
    })
    await slapd.add([{ dn: base, entry: { objectClass: 'organizationalUnit', ou } }, ...entries])
    const { store } = openStore({ groups: { base, filter: '(member={dn})' } })
    expect((await store.find?.('bob'))?.groups).toHaveLength(1100)
  })
})

test('an empty password is refused, although the directory accepts it as an anonymous bind', async () => {
  const client = new Client({ url: slapd.ldapUrl })
  onTestFinished(() => client.unbind())
  await expect(client.bind('', '')).resolves.toBeUndefined()
  expect(await openStore().store.authenticate('ada', '')).toEqual(WRONG)
})

test.each([
  ['disabled in Active Directory', { userAccountControl: '514' }],
  ['disabled with other flags in Active Directory', { userAccountControl: '66050' }],
  ['expired in Active Directory', { accountExpires: '134116992000000000' }],
  ['locked in FreeIPA', { nsAccountLock: 'TRUE' }],
  ['locked in 389 Directory Server', { nsAccountLock: 'true' }],
  ['disabled in eDirectory', { loginDisabled: 'TRUE' }],
])('an account %s is refused, after the right password with the reason, and has no session', async (_how, state) => {
  await addViewer('shut', state)
  const { store } = openStore()
  expect(await store.authenticate('shut', PASSWORD)).toEqual({ ok: false, reason: 'disabled' })
  expect(await store.authenticate('shut', 'wrong')).toEqual(WRONG)
  expect(await store.find?.('shut')).toBeNull()
})

test.each([
  ['in use', { userAccountControl: '66048' }],
  ['without an expiry date', { accountExpires: '9223372036854775807' }],
  ['with the expiry date 0', { accountExpires: '0' }],
  ['one day before its expiry', { accountExpires: NEXT_DAY }],
  ['not locked', { nsAccountLock: 'FALSE', loginDisabled: 'FALSE' }],
])('an account %s signs in, and has a session', async (_how, state) => {
  await addViewer('open', state)
  const { store } = openStore()
  expect(await store.authenticate('open', PASSWORD)).toMatchObject({ ok: true })
  expect(await store.find?.('open')).toMatchObject({ username: 'open' })
})

test('an account expires at the second of accountExpires', async () => {
  await addViewer('last', { accountExpires: NEXT_DAY })
  const atSecond = (seconds: number) => openStore({}, () => seconds).store.find?.('last')
  expect(await atSecond(NOW_SECONDS + 86_400 - 1)).not.toBeNull()
  expect(await atSecond(NOW_SECONDS + 86_400)).toBeNull()
})

test.each(['000001010000Z', '00000101000000Z', '00000101000000.0Z'])(
  'an account that an administrator locked in OpenLDAP by %s has no session, and the log names the reason',
  async (never) => {
    await addViewer('locked', { pwdAccountLockedTime: never })
    const { store, warn } = openStore()
    expect(await store.authenticate('locked', PASSWORD)).toEqual(WRONG)
    expect(warn.mock.calls).toEqual([[`In the directory, ${JSON.stringify(dnOf({ username: 'locked' }))} is locked.`]])
    expect(await store.find?.('locked')).toBeNull()
  },
)

test('an account locked by wrong passwords keeps its session, so that an attacker cannot end it', async () => {
  await addViewer('guessed', { pwdAccountLockedTime: `${new Date().toISOString().replaceAll(/[-:T]|\.\d+/g, '')}` })
  const { store } = openStore()
  expect(await store.authenticate('guessed', PASSWORD)).toEqual(WRONG)
  expect(await store.find?.('guessed')).toMatchObject({ username: 'guessed' })
})

test('a viewer who must change the password learns it after the right password only', async () => {
  const pwdPolicySubentry = await addPolicy('strict', { pwdMustChange: 'TRUE' })
  const dn = await addViewer('reset', { pwdPolicySubentry })
  await slapd.replace(dn, { pwdReset: 'TRUE' })
  const { store } = openStore()
  expect(await store.authenticate('reset', PASSWORD)).toEqual({ ok: false, reason: 'expired-password' })
  expect(await store.authenticate('reset', 'wrong')).toEqual(WRONG)
})

test('a viewer whose password expired learns it after the right password only', async () => {
  await addViewer('old', { pwdPolicySubentry: await addPolicy('short', { pwdMaxAge: '1' }) })
  const { store } = openStore()
  const expired = { ok: false, reason: 'expired-password' }
  await expect.poll(() => store.authenticate('old', PASSWORD)).toEqual(expired)
  expect(await store.authenticate('old', 'wrong')).toEqual(WRONG)
})

test('an account that was renamed or removed has no session', async () => {
  const dn = `uid=leaving,${PEOPLE}`
  await slapd.add([{ dn, entry: { objectClass: 'inetOrgPerson', cn: 'leaving', sn: 'leaving', uid: 'leaving' } }])
  const { store } = openStore()
  expect(await store.find?.('leaving')).toMatchObject({ username: 'leaving' })
  expect(await store.authenticate('leaving', PASSWORD)).toEqual(WRONG)
  await slapd.remove(dn)
  expect(await store.find?.('leaving')).toBeNull()
})
