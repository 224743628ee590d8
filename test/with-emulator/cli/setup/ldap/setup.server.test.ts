import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../../../../servers/certificate.ts'
import { PEOPLE, startSlapd } from '../../../../users/ldap/slapd.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { openSetUp, SUCCESS, VIEWER } from '../set-up-store.ts'

test('setup with a directory leads to viewers who get through', async () => {
  const tls = await makeCertificate()
  const ada = { username: VIEWER.VIEWER, password: VIEWER.VIEWER_PASSWORD, groups: [], attributes: {}, disabled: false }
  const slapd = await startSlapd([ada], tls)
  onTestFinished(() => slapd.stop())
  const authority = join(temporaryFolder(), 'ca.pem')
  writeFileSync(authority, tls.certificate)
  const setUp = await openSetUp({
    USER_STORE_URL: slapd.ldapsUrl,
    LDAP_CA_FILE: authority,
    LDAP_BIND_DN: slapd.reader.dn,
    LDAP_BIND_PASSWORD: slapd.reader.password,
    LDAP_SEARCH_BASE: PEOPLE,
  })
  const { status, printed } = await setUp(VIEWER)
  expect([status, printed]).toEqual([SUCCESS[0], expect.stringMatching(SUCCESS[1])])
})
