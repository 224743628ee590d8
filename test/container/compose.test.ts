import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readConfig, settingNames } from '../../src/config.ts'
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
  'session-secret': SETTINGS.SESSION_SECRET,
  'user-store-url': 'postgres://viewer_auth:abc@%2Fvar%2Frun%2Fpostgresql/viewer_auth',
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
    expect(service.security_opt).toEqual(service.cap_add.length > 0 ? [] : ['no-new-privileges:true'])
  })
  test(`the service ${name} uses a pinned image, or one built from this repository`, () => {
    expect(service.build === '.' ? service.image : 'viewer-auth').toBe('viewer-auth')
    if (service.build === undefined) expect(service.image).toMatch(/^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)$/)
  })
  test(`the service ${name} refers only to networks, secrets, volumes and services of the file`, () => {
    for (const network of service.networks) expect(networks).toHaveProperty([network])
    for (const secret of service.secrets) expect(secrets).toHaveProperty([secret])
    for (const dependency of dependenciesOf(service)) expect(services).toHaveProperty([dependency])
    for (const mount of service.volumes) {
      expect(volumes).toHaveProperty([typeof mount === 'string' ? (mount.split(':')[0] ?? '') : mount.source])
    }
    const texts = JSON.stringify([service.environment, service.command, service.healthcheck])
    const read = [...texts.matchAll(/\/run\/secrets\/([a-z-]+)/g)].map(([, secret = '']) => secret)
    expect([...new Set(read)].toSorted()).toEqual(service.secrets.toSorted())
  })
  test(`the service ${name} reads its secrets from files`, () => {
    for (const [setting, value] of Object.entries(service.environment)) {
      if (/SECRET|PASSWORD|STORE_URL/.test(setting)) expect(value).toMatch(/^\/run\/secrets\//)
    }
  })
})

test('compose.yaml opens only the ports of the proxy', () => {
  expect(SERVICES.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual(['proxy'])
  expect(networks.inside).toEqual({ internal: true })
  const inside = SERVICES.filter(([, service]) => service.networks.includes('inside')).map(([name]) => name)
  expect(inside.toSorted()).toEqual(['login-1', 'login-2', 'migrate', 'postgres', 'redis'])
  const outside = SERVICES.filter(([, service]) => service.networks.includes('outside')).map(([name]) => name)
  expect(outside.toSorted()).toEqual(['login-1', 'login-2', 'proxy'])
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
    userStore: { kind: 'postgres', host: '/var/run/postgresql', user: 'viewer_auth', database: 'viewer_auth' },
    sessionStore: { kind: 'redis', redis: { host: 'redis', password: 'abc', tls: null } },
    limitsStore: { kind: 'redis', redis: { host: 'redis', password: 'abc', tls: null } },
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
  expect(() => readComposeFile(FILE, {})).toThrow(/^PLAYER_RETURN_URL: /)
  expect(() => readComposeFile(FILE, { PLAYER_RETURN_URL })).toThrow(/^PLAYER_ORIGINS: /)
})

test('compose.yaml creates the table of viewers once, after the database and before the app starts', () => {
  const { migrate, 'login-1': login } = services
  expect(migrate?.command).toEqual(['node', 'src/cli/main.ts', 'viewers', 'migrate'])
  expect(migrate?.restart).toBe('no')
  expect(migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  expect(login?.depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } })
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

test('the secrets are files that are neither committed nor part of the image', () => {
  for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`)
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('secrets/')
  expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8')).toMatch(/^\*$/m)
})

test('each service that others need has a health check in compose.yaml or in the Dockerfile', () => {
  for (const name of ['proxy', 'postgres', 'redis']) expect(services[name]?.healthcheck).toHaveProperty('test')
  for (const [, service] of COPIES) expect(service.healthcheck).toBeUndefined()
})
