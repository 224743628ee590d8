import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readConfig, readEntryPointSettings, settingNames } from '../../src/config.ts'
import { CONTENT_KEY } from '../features/token/viewer-token/jwcrypto-vectors.ts'
import { isSecret, KIT_SETTINGS } from '../kit-settings.ts'
import { SETTINGS } from '../settings.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { type ComposeService, readComposeFile } from './compose-file.ts'
import { parseDockerfile, restsOf, type Stage } from './dockerfile.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILE = join(ROOT, 'compose.yaml')
const { PLAYER_RETURN_URL, PLAYER_ORIGINS } = SETTINGS
const PLAYER = { PLAYER_RETURN_URL, PLAYER_ORIGINS }
const { services, networks, volumes, secrets } = readComposeFile(FILE, PLAYER)
const SERVICES = Object.entries(services)
const COPIES = SERVICES.filter(([name]) => name.startsWith('login-'))

/** The contents of the secrets if they are made as the README says. */
const HELD: Readonly<Record<string, string>> = {
  'hash-secret': SETTINGS.HASH_SECRET,
  'hash-secret-previous': '',
  'session-secret': SETTINGS.SESSION_SECRET,
  'owner-url': 'postgres://viewer_auth:abc@%2Fvar%2Frun%2Fpostgresql/viewer_auth',
  'user-store-url': 'postgres://login_app:def@%2Fvar%2Frun%2Fpostgresql/viewer_auth',
  'redis-url': 'redis://:abc@redis',
}

/** Returns the settings of a service. Each of its secrets is a temporary file. */
function settingsOf({ environment, secrets: given }: ComposeService): Record<string, string> {
  const folder = temporaryFolder()
  for (const name of given) writeFileSync(join(folder, name), `${HELD[name]}\n`)
  const settings = Object.entries(environment)
  return Object.fromEntries(settings.map(([name, value]) => [name, value.replace('/run/secrets', folder)]))
}

function dependenciesOf({ depends_on: on }: ComposeService): string[] {
  return Array.isArray(on) ? on : Object.keys(on)
}

describe.each(SERVICES)('the service %s', (name, service) => {
  test(`the service ${name} has no more rights than it needs`, () => {
    expect(service.read_only).toBe(true)
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    expect(service.cap_add).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : [])
  })
  test(`the service ${name} has limits for memory, processor and processes`, () => {
    expect(service.mem_limit).toMatch(/^(512m|1g)$/)
    expect(service.cpus).toBe(1)
    expect(service.pids_limit).toBe(200)
  })
  test(`the service ${name} uses a branch of an image that gets fixes, or one built from this repository`, () => {
    expect(service.build === '.' ? service.image : 'viewer-auth').toBe('viewer-auth')
    if (service.build !== undefined) return
    // Without the last number, so that `docker compose pull` fetches fixes. A branch of PostgreSQL has one number.
    const branch = name === 'postgres' ? /^postgres:\d+-bookworm$/ : /^[a-z]+:\d+\.\d+-[a-z]+$/
    expect(service.image).toMatch(branch)
  })
  test(`the service ${name} refers only to networks, secrets, volumes and services of the file`, () => {
    for (const network of service.networks) expect(networks).toHaveProperty([network])
    for (const secret of service.secrets) expect(secrets).toHaveProperty([secret])
    for (const dependency of dependenciesOf(service)) expect(services).toHaveProperty([dependency])
    for (const mount of service.volumes) {
      if (typeof mount === 'string') expect(volumes).toHaveProperty([mount.split(':')[0] ?? ''])
      else if (mount.type === 'volume') expect(volumes).toHaveProperty([mount.source])
      else expect(mount.source).toBe('./secrets/login')
    }
    const texts = JSON.stringify([service.environment, service.command, service.healthcheck])
    const read = [...texts.matchAll(/\/run\/secrets\/([a-z-]+)/g)].map(([, secret = '']) => secret)
    expect([...new Set(read)].toSorted()).toEqual(service.secrets.toSorted())
  })
  test(`the service ${name} reads its secrets from files`, () => {
    for (const [setting, value] of Object.entries(service.environment)) {
      if (/SECRET|PASSWORD|TOKEN|STORE_URL|SMTP_URL|CONTENT_KEY/.test(setting)) {
        expect(setting).toMatch(/_FILE$|^(FORGOT_PASSWORD_URL|PASSWORD_FORM|TOKEN_SUBJECT)$/)
        expect(value).toMatch(/^(\/run\/secrets\/.+|)$/)
      }
    }
  })
})

test('compose.yaml connects only the proxy with the outside', () => {
  expect(SERVICES.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual(['proxy', 'manager'])
  // Not without its profile, and only for this machine.
  expect(services.manager).toMatchObject({ profiles: ['manager'], ports: [expect.stringMatching(/^127\.0\.0\.1:/)] })
  const membersOf = (network: string) =>
    SERVICES.filter(([, service]) => service.networks.includes(network)).map(([name]) => name)
  expect(Object.fromEntries(Object.keys(networks).map((network) => [network, membersOf(network).toSorted()]))).toEqual({
    outside: ['manager', 'proxy'],
    front: ['login-1', 'login-2', 'proxy'],
    inside: ['login-1', 'login-2', 'manager', 'migrate', 'postgres', 'redis', 'viewers'],
    stores: ['login-1', 'login-2', 'manager'],
  })
  // With IPv6 the proxy sees the address of each viewer.
  const closed = { front: { internal: true }, inside: { internal: true } }
  expect(networks).toEqual({ outside: { enable_ipv6: true }, ...closed, stores: { internal: true } })
  const { networks: opened } = readComposeFile(FILE, { ...PLAYER, STORES_INSIDE: 'false' })
  expect(opened).toMatchObject({ ...closed, stores: { internal: false } })
})

test('the examples of the pages name services and profiles of compose.yaml', () => {
  const profiles = SERVICES.flatMap(([, service]) => service.profiles)
  const calls = globSync('{*.md,.github/**/*.md,src/**/*.md}', { cwd: ROOT }).flatMap(
    (page) => readFileSync(join(ROOT, page), 'utf8').match(/docker compose .*?(?=[`'\n|])/g) ?? [],
  )
  const named = (pattern: RegExp) => calls.flatMap((call) => [...call.matchAll(pattern)].map(([, name = '']) => name))
  expect(named(/--profile (\S+)/g).filter((name) => !profiles.includes(name))).toEqual([])
  expect(named(/ (?:stop|start|kill|exec|run --rm) ([\w-]+)/g).filter((name) => !(name in services))).toEqual([])
  expect(calls.length).toBeGreaterThan(5)
})

test('LOGIN_CPUS gives the copies more cores, and no other service', () => {
  const { services: changed } = readComposeFile(FILE, { ...PLAYER, LOGIN_CPUS: '2.5' })
  const cores = Object.entries(changed).map(([name, { cpus }]) => [name, cpus])
  expect(cores).toEqual(SERVICES.map(([name]) => [name, name.startsWith('login-') ? 2.5 : 1]))
})

test('only the commands of the operator sign in to the database as its owner', () => {
  const owners = SERVICES.filter(([, service]) => service.secrets.includes('owner-url')).map(([name]) => name)
  expect(owners.toSorted()).toEqual(['manager', 'migrate', 'viewers'])
  expect(services.viewers?.profiles).toEqual(['commands'])
  expect(services.postgres?.environment.POSTGRES_USER).toBe('viewer_auth')
})

test('compose.yaml has two identical copies of the app', () => {
  expect(COPIES.map(([name]) => name)).toEqual(['login-1', 'login-2'])
  expect(COPIES[0]?.[1]).toEqual(COPIES[1]?.[1])
})

test.each(COPIES)('the copy %s has valid settings, and keeps no data of its own', (_name, service) => {
  const config = readConfig(settingsOf(service))
  expect(config).toMatchObject({
    publicUrl: new URL('http://localhost'),
    port: 3000,
    trustProxyHops: 1,
    userStore: { kind: 'postgres', host: '/var/run/postgresql', user: 'login_app', database: 'viewer_auth' },
    sessionStore: { kind: 'redis', redis: { nodes: [{ host: 'redis', port: 6379 }], password: 'abc', tls: null } },
    limitsStore: { kind: 'redis', redis: { nodes: [{ host: 'redis', port: 6379 }], password: 'abc', tls: null } },
    warnings: [],
  })
  for (const name of Object.keys(service.environment)) expect(settingNames()).toContain(name)
})

test('compose.yaml passes on settings from the environment, and names missing ones', () => {
  const more = { PUBLIC_URL: 'https://login.example.com', ALLOWED_GROUPS: 'staff', HASH_LIFETIME_SECONDS: '600' }
  const file = readComposeFile(FILE, { ...PLAYER, ...more })
  const config = readConfig(settingsOf(file.services['login-1'] ?? expect.unreachable()))
  expect(config.publicUrl.origin).toBe('https://login.example.com')
  expect(config.entryPoints[0]).toMatchObject({ allowedGroups: ['staff'], lifetimeSeconds: 600 })
  expect(file.services.proxy?.environment.CADDYFILE).toMatch(/^https:\/\/login\.example\.com \{$/m)
})

test('compose.yaml passes on every setting of .env, except secrets and the settings that its page names', () => {
  const page = readFileSync(join(ROOT, '.github/deploy/compose.md'), 'utf8')
  const [, sentence = ''] =
    /Every setting in `\.env` reaches the app, except secrets, which are files, and (.*?)\./s.exec(page) ?? []
  const decided = [...sentence.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name)
  const names = KIT_SETTINGS.filter((name) => !isSecret(name) && !decided.includes(name))
  const environment = Object.fromEntries(KIT_SETTINGS.map((name) => [name, `given ${name}`]))
  const { environment: seen = {} } = readComposeFile(FILE, environment).services['login-1'] ?? {}
  const passed = names.filter((name) => seen[name] === environment[name])
  const ofFile = names.filter((name) => seen[name]?.startsWith('/run/secrets/'))
  expect(decided.length).toBeGreaterThan(0)
  expect([...passed, ...ofFile].toSorted()).toEqual(names.toSorted())
})

test('the page for managers of compose.yaml reads the settings and files of the app', () => {
  const given = { ...PLAYER, BRAND_NAME: 'Gala' }
  const file = readComposeFile(FILE, given)
  const { manager = expect.unreachable(), 'login-1': login = expect.unreachable() } = file.services
  const { USER_STORE_URL_FILE, ...shared } = login.environment
  expect(USER_STORE_URL_FILE).toBe('/run/secrets/user-store-url')
  expect(manager.environment).toMatchObject({ ...shared, USER_STORE_URL_FILE: '/run/secrets/owner-url' })
  for (const mount of login.volumes) expect(manager.volumes).toContainEqual(mount)
  const { MANAGER_SECRET_FILE, ...environment } = manager.environment
  const secrets = manager.secrets.filter((name) => name !== 'manager-secret')
  expect(readEntryPointSettings(settingsOf({ ...manager, environment, secrets })).entryPoints).toMatchObject([
    { name: 'default', brand: { name: 'Gala' } },
  ])
  expect(MANAGER_SECRET_FILE).toBe('/run/secrets/manager-secret')
})

test('both copies of compose.yaml can write a security log, into one volume', () => {
  for (const [, service] of COPIES) expect(service.volumes).toContain('login-data:/app/data')
})

test('compose.yaml takes a directory, and a file of entry points, in place of its own database', () => {
  const folder = temporaryFolder()
  const entryPoint = {
    name: 'town-hall',
    secret: SETTINGS.HASH_SECRET,
    playerReturnUrl: PLAYER_RETURN_URL,
    playerOrigins: [PLAYER_ORIGINS],
  }
  writeFileSync(join(folder, 'entry-points.json'), JSON.stringify([entryPoint]))
  writeFileSync(join(folder, 'user-store-url'), 'ldaps://directory.example.com')
  writeFileSync(join(folder, 'ldap-password'), 'secret')
  const { services: changed } = readComposeFile(FILE, {
    ENTRY_POINTS_FILE: '/run/login/entry-points.json',
    LOGIN_HASH_SECRET_FILE: '',
    LOGIN_HASH_SECRET_PREVIOUS_FILE: '',
    LDAP_SEARCH_BASE: 'dc=example,dc=com',
    LDAP_BIND_DN: 'cn=login,dc=example,dc=com',
    LDAP_BIND_PASSWORD_FILE: '/run/login/ldap-password',
  })
  const settings = Object.entries(settingsOf(changed['login-1'] ?? expect.unreachable())).map(([name, value]) => [
    name,
    name === 'USER_STORE_URL_FILE' ? join(folder, 'user-store-url') : value.replace('/run/login', folder),
  ])
  const config = readConfig(Object.fromEntries(settings))
  expect(config.userStore).toMatchObject({ kind: 'ldap' })
  expect(config.entryPoints.map(({ name }) => name)).toEqual(['town-hall'])
})

test('compose.yaml takes tokens in place of the hash, as compose.md says', () => {
  const readme = readFileSync(join(ROOT, '.github/deploy/compose.md'), 'utf8')
  const [, block = ''] = /<<END\n(VIEWER_AUTH=[^`]*)END\n/.exec(readme) ?? []
  const chosen = Object.fromEntries([...block.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
  const { services: changed, networks: opened } = readComposeFile(FILE, { ...PLAYER, ...chosen })
  const key = join(temporaryFolder(), 'content-key.pem')
  writeFileSync(key, CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' }))
  const settings = settingsOf(changed['login-1'] ?? expect.unreachable())
  const config = readConfig({ ...settings, CONTENT_KEY_FILE: key })
  expect(settings.CONTENT_KEY_FILE).toBe('/run/login/content-key.pem')
  expect(config.entryPoints).toMatchObject([{ viewerAuth: 'token', serviceKeyUrl: chosen.SERVICE_VIEWER_KEY_URL }])
  expect(opened.stores).toEqual({ internal: false })
})

test('compose.yaml creates the table of viewers once, after the database and before the app starts', () => {
  const { migrate, 'login-1': login } = services
  const appUrl = ['--app-url-file', '/run/secrets/user-store-url']
  expect(migrate?.command).toEqual(['node', 'src/tools/cli/main.ts', 'viewers', 'migrate', ...appUrl])
  expect(migrate?.restart).toBe('no')
  expect(migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  expect([migrate?.profiles, services.postgres?.profiles]).toEqual([['postgres'], ['postgres']])
  const ifThere = { condition: 'service_completed_successfully', required: false }
  expect(login?.depends_on).toMatchObject({ migrate: ifThere })
  const [, image] = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) as [Stage, Stage]
  expect(restsOf(image, 'COPY')).toContain('src ./src')
})

test('the app does not wait for a healthy Redis', () => {
  for (const [, service] of COPIES) {
    expect(service.depends_on).toMatchObject({ redis: { condition: 'service_started' } })
  }
})

test('a copy stops only after the proxy has noticed', () => {
  const proxied = services.proxy?.environment.CADDYFILE ?? ''
  const [, interval, timeout] = /health_interval (\d+)s\s+health_timeout (\d+)s/.exec(proxied) ?? []
  for (const [name, service] of COPIES) {
    expect(proxied).toContain(` ${name}:3000`)
    const { shutdownDelaySeconds } = readConfig(settingsOf(service))
    expect(shutdownDelaySeconds).toBeGreaterThanOrEqual(2 * Number(interval) + Number(timeout))
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(shutdownDelaySeconds + 15)
  }
})

test('the proxy waits longer than the user store, and keeps a connection for less time than the app', () => {
  const proxied = services.proxy?.environment.CADDYFILE ?? ''
  const [, response, keepAlive] = /response_header_timeout (\d+)s\s+keepalive (\d+)s/.exec(proxied) ?? []
  expect(readConfig(settingsOf(COPIES[0]?.[1] ?? expect.unreachable())).userStore).toMatchObject({ timeoutMs: 5_000 })
  expect(Number(response)).toBeGreaterThan(5)
  expect(Number(keepAlive)).toBeLessThan(65)
})

test('the secrets are files that are neither committed nor part of the image', () => {
  for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`)
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('secrets/')
  expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8')).toMatch(/^\*$/m)
})

test('each service that others need has a health check in compose.yaml or in the Dockerfile', () => {
  for (const name of ['proxy', 'postgres', 'redis']) expect(services[name]?.healthcheck).toHaveProperty('test')
  for (const [, service] of COPIES) expect(service.healthcheck).toBeUndefined()
})
