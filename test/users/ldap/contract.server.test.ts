import { afterAll, beforeAll } from 'vitest'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { contractViewers, userStoreContract } from '../user-store-contract.ts'
import { ldapSettings } from './settings-of.ts'
import { type SlapdServer, startSlapd } from './slapd.ts'

let certificate: Certificate
let slapd: SlapdServer
beforeAll(async () => {
  certificate = await makeCertificate()
  slapd = await startSlapd(contractViewers, certificate)
})
afterAll(async () => {
  await slapd.stop()
})

const ca = () => certificate.certificate

userStoreContract('ldap, plain on loopback', { finds: true, hashes: false }, () =>
  Promise.resolve(openLdapStore(ldapSettings(slapd))),
)
userStoreContract('ldap with StartTLS', { finds: true, hashes: false }, () =>
  Promise.resolve(openLdapStore(ldapSettings(slapd, { startTls: true, ca: ca() }))),
)
userStoreContract('ldaps, groups by a search', { finds: true, hashes: false }, () => {
  const groups = { base: 'ou=groups,dc=example,dc=test', filter: '(&(objectClass=groupOfNames)(member={dn}))' }
  return Promise.resolve(openLdapStore(ldapSettings(slapd, { url: slapd.ldapsUrl, ca: ca(), groups })))
})
