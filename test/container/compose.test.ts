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

/** What the secrets hold when they are made as the README says. */
const HELD: Readonly<Record<string, string>> = {
  'hash-secret': SETTINGS.HASH_SECRET,
  'session-secret': SETTINGS.SESSION_SECRET,
  'user-store-url': 'postgres://viewer_auth:abc@%2Fvar%2Frun%2Fpostgresql/viewer_auth',
  'redis-url': 'redis://:abc@redis',
}

/** The settings of a service, with a file of our own in the place of each secret that it is given. */
function settingsOf({ environment, secrets: given }: ComposeService): Record<string, string> {
  const folder = temporaryFolder()
  for (const name of given) writeFileSync(join(folder, name), `${HELD[name]}\n`)
  const settings = Object.entries(environment)
  return Object.fromEntries(settings.map(([name, value]) => [name, value.replace('/run/secrets', folder)]))
}

function dependenciesOf({ depends_on: on }: ComposeService): string[] {
  return Array.isArray(on) ? on : Object.keys(on)
}

describe.each(SERVICES)('the service %s', (_name, service) => {
  test('has no more rights than it needs', () => {
    expect(service.read_only).toBe(true)
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.security_opt).toEqual(service.cap_add.length > 0 ? [] : ['no-new-privileges:true'])
  })
  test('is of an image of one version, or of this repository', () => {
    expect(service.build === '.' ? service.image : 'viewer-auth').toBe('viewer-auth')
    if (service.build === undefined) expect(service.image).toMatch(/^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)$/)
  })
  test('names only what the file has', () => {
    for (const name of service.networks) expect(networks).toHaveProperty([name])
    for (const name of service.secrets) expect(secrets).toHaveProperty([name])
    for (const name of dependenciesOf(service)) expect(services).toHaveProperty([name])
    for (const mount of service.volumes) {
      expect(volumes).toHaveProperty([typeof mount === 'string' ? (mount.split(':')[0] ?? '') : mount.source])
    }
    const texts = JSON.stringify([service.environment, service.command, service.healthcheck])
    const read = [...texts.matchAll(/\/run\/secrets\/([a-z-]+)/g)].map(([, name = '']) => name)
    expect([...new Set(read)].toSorted()).toEqual(service.secrets.toSorted())
  })
  test('holds no secret itself', () => {
    for (const [name, value] of Object.entries(service.environment)) {
      if (/SECRET|PASSWORD|STORE_URL/.test(name)) expect(value).toMatch(/^\/run\/secrets\//)
    }
  })
})

describe('compose.yaml', () => {
  test('opens the ports of the proxy and no other', () => {
    expect(SERVICES.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual(['proxy'])
    expect(networks.inside).toEqual({ internal: true })
    const inside = SERVICES.filter(([, service]) => service.networks.includes('inside')).map(([name]) => name)
    expect(inside.toSorted()).toEqual(['login-1', 'login-2', 'migrate', 'postgres', 'redis'])
    const outside = SERVICES.filter(([, service]) => service.networks.includes('outside')).map(([name]) => name)
    expect(outside.toSorted()).toEqual(['login-1', 'login-2', 'proxy'])
  })

  test('has two copies of the app, which differ in nothing', () => {
    expect(COPIES.map(([name]) => name)).toEqual(['login-1', 'login-2'])
    expect(COPIES[0]?.[1]).toEqual(COPIES[1]?.[1])
  })

  test.each(COPIES)('gives %s settings that it starts with, with nothing of its own to lose', (_name, service) => {
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

  test('passes on what is set outside, and says what must be', () => {
    const more = { PUBLIC_URL: 'https://login.example.com', ALLOWED_GROUPS: 'staff', HASH_LIFETIME_SECONDS: '600' }
    const file = readComposeFile(FILE, { ...PLAYER, ...more })
    const config = readConfig(settingsOf(file.services['login-1'] ?? expect.unreachable()))
    expect(config.publicUrl.origin).toBe('https://login.example.com')
    expect(config.entryPoints[0]).toMatchObject({ allowedGroups: ['staff'], lifetimeSeconds: 600 })
    expect(file.services.proxy?.environment.CADDYFILE).toMatch(/^https:\/\/login\.example\.com \{$/m)
    expect(() => readComposeFile(FILE, {})).toThrow(/^PLAYER_RETURN_URL: /)
    expect(() => readComposeFile(FILE, { PLAYER_RETURN_URL })).toThrow(/^PLAYER_ORIGINS: /)
  })

  test('makes the table of viewers once, before the app and after the database', () => {
    const { migrate, 'login-1': login } = services
    expect(migrate?.command).toEqual(['node', 'src/cli/main.ts', 'viewers', 'migrate'])
    expect(migrate?.restart).toBe('no')
    expect(migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(login?.depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } })
    const [, image] = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) as [Stage, Stage]
    expect(restsOf(image, 'COPY')).toContain('src ./src')
  })

  test('does not wait for Redis, without which the app starts', () => {
    for (const [, service] of COPIES) {
      expect(service.depends_on).toMatchObject({ redis: { condition: 'service_started' } })
    }
  })

  test('stops a copy only after the proxy has seen that it stops', () => {
    const proxied = services.proxy?.environment.CADDYFILE ?? ''
    const [, interval, timeout] = /health_interval (\d+)s\s+health_timeout (\d+)s/.exec(proxied) ?? []
    for (const [name, service] of COPIES) {
      expect(proxied).toContain(` ${name}:3000`)
      const { shutdownDelaySeconds } = readConfig(settingsOf(service))
      expect(shutdownDelaySeconds).toBeGreaterThanOrEqual(2 * Number(interval) + Number(timeout))
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(shutdownDelaySeconds + 15)
    }
  })

  test('keeps its secrets in files that are neither committed nor part of the image', () => {
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`)
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('secrets/')
    expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8')).toMatch(/^\*$/m)
  })

  test('has a health check for each service that others need, besides the one in the Dockerfile', () => {
    for (const name of ['proxy', 'postgres', 'redis']) expect(services[name]?.healthcheck).toHaveProperty('test')
    for (const [, service] of COPIES) expect(service.healthcheck).toBeUndefined()
  })
})
