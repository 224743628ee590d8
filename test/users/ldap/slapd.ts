import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Attribute, Change, Client } from 'ldapts'
import type { Certificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'
import type { ContractViewer } from '../user-store-contract.ts'

/** Attributes and their values. */
export type LdapEntry = Readonly<Record<string, string | readonly string[]>>

export type SlapdServer = Awaited<ReturnType<typeof startSlapd>>

type Slapd = ChildProcessByStdio<null, null, Readable>

export const SUFFIX = 'dc=example,dc=test'
export const PEOPLE = `ou=people,${SUFFIX}`
export const GROUPS = `ou=groups,${SUFFIX}`

const PROGRAM = '/usr/sbin/slapd'
const HOST = '127.0.0.1'
const NOBODY = 65_534
const INTEGER = '1.3.6.1.4.1.1466.115.121.1.27'
const TEXT = '1.3.6.1.4.1.1466.115.121.1.15'
/** Attributes that disable an account in other directories. OpenLDAP's own schema for them allows only one memberOf. */
const FOREIGN_ATTRIBUTES = [
  ['userAccountControl', INTEGER],
  ['accountExpires', INTEGER],
  ['nsAccountLock', TEXT],
  ['loginDisabled', TEXT],
] as const
const ADMINISTRATOR = `cn=administrator,${SUFFIX}`
const PASSWORD = 'password-of-the-administrator'

/**
 * Starts a throwaway OpenLDAP server on two free loopback ports. It runs as `nobody` if the tests run as root. Viewers
 * have `uid`, `departmentNumber`, `employeeNumber` and groups. Disabled viewers have Active Directory's
 * `userAccountControl`. A password policy is active.
 *
 * @throws Error when OpenLDAP is not installed or does not start.
 */
export async function startSlapd(viewers: readonly ContractViewer[], tls: Certificate) {
  if (!existsSync(PROGRAM)) {
    throw new Error('OpenLDAP is not installed: sudo apt-get install -y --no-install-recommends slapd')
  }
  const folder = mkdtempSync(join(tmpdir(), 'slapd-'))
  writeConfiguration(folder, tls)
  const port = await freePort()
  const tlsPort = await freePort()
  const urls = { ldapUrl: `ldap://${HOST}:${port}`, ldapsUrl: `ldaps://${HOST}:${tlsPort}` }
  /** The service account. It can read everything except passwords; other accounts can read nothing. */
  const reader = { dn: `cn=reader,${SUFFIX}`, password: 'password-of-the-reader' }
  const start = () => launch(folder, `${urls.ldapUrl}/ ${urls.ldapsUrl}/`, port)
  let child = await start()

  async function asAdministrator(work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ url: urls.ldapUrl })
    try {
      await client.bind(ADMINISTRATOR, PASSWORD)
      await work(client)
    } finally {
      await client.unbind()
    }
  }
  /** Adds entries over LDAP, so that the memberof overlay sees them. */
  const add = (entries: readonly { dn: string; entry: LdapEntry }[]) =>
    asAdministrator(async (client) => {
      for (const { dn, entry } of entries) await client.add(dn, attributesOf(entry))
    })
  const halt = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  await add([...treeEntries(reader), ...viewers.map((viewer) => ({ dn: dnOf(viewer), entry: personOf(viewer) }))])
  await add(groupEntries(viewers))
  return {
    ...urls,
    reader,
    add,
    /** Replaces attributes of an entry. */
    replace: (dn: string, entry: LdapEntry) =>
      asAdministrator(async (client) => {
        const changes = Object.entries(attributesOf(entry)).map(([type, values]) => {
          return new Change({ operation: 'replace', modification: new Attribute({ type, values }) })
        })
        await client.modify(dn, changes)
      }),
    remove: (dn: string) => asAdministrator((client) => client.del(dn)),
    /** The kernel still accepts connections, but nothing answers. */
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    halt,
    restart: async (other?: Certificate) => {
      await halt()
      if (other) writeCertificate(folder, other)
      child = await start()
    },
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the DN of a viewer. */
export function dnOf({ username }: { readonly username: string }): string {
  return `uid=${escapedInDn(username)},${PEOPLE}`
}

/** Escapes a value of a DN (RFC 4514, 2.4). */
function escapedInDn(value: string): string {
  return value.replaceAll(/[,+"\\<>;=#]/g, (sign) => `\\${sign}`)
}

function writeConfiguration(folder: string, tls: Certificate): void {
  const schemas = ['core', 'cosine', 'inetorgperson']
  const lines = [
    ...schemas.map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    ...['back_mdb', 'memberof', 'ppolicy'].map((name) => `moduleload ${name}`),
    ...FOREIGN_ATTRIBUTES.map(([name, syntax], index) => {
      return `attributetype ( 1.3.6.1.4.1.4203.666.1.${index + 1} NAME '${name}' SYNTAX ${syntax} SINGLE-VALUE )`
    }),
    `pidfile ${folder}/pid`,
    `TLSCertificateFile ${folder}/certificate.pem`,
    `TLSCertificateKeyFile ${folder}/key.pem`,
    'database mdb',
    'maxsize 104857600',
    'dbnosync',
    `suffix "${SUFFIX}"`,
    `rootdn "${ADMINISTRATOR}"`,
    `rootpw ${PASSWORD}`,
    `directory ${folder}/data`,
    'index objectClass,uid,mail eq',
    // At most 500 entries without paging, like the limit of Active Directory.
    'sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited',
    'access to attrs=userPassword by anonymous auth by * none',
    `access to * by dn.exact="cn=reader,${SUFFIX}" read by anonymous auth by * none`,
    'overlay memberof',
    'overlay ppolicy',
    `ppolicy_default "cn=policy,${SUFFIX}"`,
    'ppolicy_use_lockout',
  ]
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'slapd.conf'), `${lines.join('\n')}\n`)
  writeCertificate(folder, tls)
  chmodSync(folder, 0o700)
  giveAway(folder, ['', 'data', 'slapd.conf'])
}

function writeCertificate(folder: string, { certificate, key }: Certificate): void {
  writeFileSync(join(folder, 'certificate.pem'), certificate)
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  giveAway(folder, ['certificate.pem', 'key.pem'])
}

function giveAway(folder: string, names: readonly string[]): void {
  const { uid, gid } = unprivileged()
  if (uid === undefined || gid === undefined) return
  for (const name of names) chownSync(join(folder, name), uid, gid)
}

/** Resolves when the server accepts connections. */
async function launch(folder: string, urls: string, port: number): Promise<Slapd> {
  const child = spawn(PROGRAM, ['-d', 'none', '-f', join(folder, 'slapd.conf'), '-h', urls], {
    ...unprivileged(),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000)
      if (log.includes('slapd starting')) resolve()
    })
    child.once('error', reject).once('exit', () => reject(new Error(`OpenLDAP did not start: ${log}`)))
  })
  await untilListening(port)
  return child
}

/** slapd logs its start a moment before it listens. */
async function untilListening(port: number): Promise<void> {
  const giveUpMs = Date.now() + 10_000
  while (Date.now() < giveUpMs) {
    const socket = connect(port, HOST)
    try {
      await once(socket, 'connect')
      return
    } catch {
      await sleep(10)
    } finally {
      socket.destroy()
    }
  }
  throw new Error('OpenLDAP does not listen')
}

function treeEntries(reader: { dn: string; password: string }): { dn: string; entry: LdapEntry }[] {
  const policy = { cn: 'policy', pwdAttribute: 'userPassword', pwdLockout: 'TRUE' }
  return [
    { dn: SUFFIX, entry: { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' } },
    { dn: PEOPLE, entry: { objectClass: 'organizationalUnit', ou: 'people' } },
    { dn: GROUPS, entry: { objectClass: 'organizationalUnit', ou: 'groups' } },
    { dn: `cn=policy,${SUFFIX}`, entry: { objectClass: ['device', 'pwdPolicy'], ...policy } },
    {
      dn: reader.dn,
      entry: {
        objectClass: ['organizationalRole', 'simpleSecurityObject'],
        cn: 'reader',
        userPassword: reader.password,
      },
    },
  ]
}

function personOf({ username, password, attributes, disabled }: ContractViewer): LdapEntry {
  const { department, employee_number: number } = attributes
  return {
    objectClass: ['inetOrgPerson', 'extensibleObject'],
    uid: username,
    cn: username,
    sn: username,
    userPassword: password,
    userAccountControl: disabled ? '514' : '512',
    ...(department === undefined ? {} : { departmentNumber: department }),
    ...(number === undefined ? {} : { employeeNumber: number }),
  }
}

function groupEntries(viewers: readonly ContractViewer[]): { dn: string; entry: LdapEntry }[] {
  const names = [...new Set(viewers.flatMap(({ groups }) => groups))]
  return names.map((cn) => {
    const member = viewers.filter(({ groups }) => groups.includes(cn)).map(dnOf)
    return { dn: `cn=${escapedInDn(cn)},${GROUPS}`, entry: { objectClass: 'groupOfNames', cn, member } }
  })
}

function attributesOf(entry: LdapEntry): Record<string, string[]> {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, [value].flat()]))
}

/** Returns the user `nobody` if the tests run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}
