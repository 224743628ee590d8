import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLdapStore } from '../../../../src/users/ldap/store.ts'
import { makeCertificate } from '../../../servers/certificate.ts'
import { addressLookupContract, addressViewers } from '../../mail/address-lookup-contract.ts'
import { ldapSettings } from '../settings-of.ts'
import { dnOf, PEOPLE, type SlapdServer, startSlapd } from '../slapd.ts'

let slapd: SlapdServer
beforeAll(async () => {
  slapd = await startSlapd(addressViewers, await makeCertificate())
  for (const viewer of addressViewers) await slapd.replace(dnOf(viewer), { mail: viewer.attributes.mail ?? '' })
})
afterAll(() => slapd.stop())

const open = (userFilter: string) =>
  openLdapStore(ldapSettings(slapd, { attributes: [{ name: 'mail', attribute: 'mail' }], userFilter }))

addressLookupContract('ldap', () => Promise.resolve(open('(uid={username})')))
addressLookupContract('ldap, with a second name of viewers', () =>
  Promise.resolve(open('(&(objectClass=inetOrgPerson)(|(uid={username})(cn={username})))')),
)

test('an entry outside LDAP_USER_FILTER is not found by its address', async () => {
  const store = open(`(&(uid={username})(!(uid=ada))(!(seeAlso=${PEOPLE})))`)
  expect(await store.findByAddress?.('mail', 'ada@example.com')).toBeNull()
  expect(await store.findByAddress?.('mail', 'eve@example.com')).toMatchObject({ username: 'eve' })
  await store.close()
})
