import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { readConfig, readSharedStores } from '../../src/config.ts'
import { ConfigError } from '../../src/errors.ts'
import { mistakesIn, SETTINGS } from '../settings.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const PLACE = {
  nodes: [{ host: 'redis', port: 6379 }],
  isCluster: false,
  username: null,
  password: null,
  database: 0,
  tls: null,
  keyPrefix: 'viewer-auth:',
}

function file(content: string): string {
  const path = join(temporaryFolder(), 'secret')
  writeFileSync(path, content)
  return path
}

describe('a Redis address', () => {
  test.each([
    ['redis://redis', PLACE],
    ['redis://redis/', PLACE],
    ['redis://redis:6380/3', { ...PLACE, nodes: [{ host: 'redis', port: 6380 }], database: 3 }],
    ['redis://:p%40ss%2Fw%23%25@redis', { ...PLACE, password: 'p@ss/w#%' }],
    ['redis://viewer-auth:pass@redis', { ...PLACE, username: 'viewer-auth', password: 'pass' }],
    ['redis://[::1]:6379', { ...PLACE, nodes: [{ host: '::1', port: 6379 }] }],
    [
      'rediss://cache.example.com:6390',
      { ...PLACE, nodes: [{ host: 'cache.example.com', port: 6390 }], tls: { authority: null } },
    ],
    ['redis-cluster://redis', { ...PLACE, isCluster: true }],
    [
      'redis-cluster://viewer-auth:p%40ss@one:7000,two,[::1]:7002/',
      {
        ...PLACE,
        nodes: [
          { host: 'one', port: 7000 },
          { host: 'two', port: 6379 },
          { host: '::1', port: 7002 },
        ],
        isCluster: true,
        username: 'viewer-auth',
        password: 'p@ss',
      },
    ],
    ['rediss-cluster://redis', { ...PLACE, isCluster: true, tls: { authority: null } }],
  ])('%s is parsed for sessions and for limits', (url, redis) => {
    const config = readConfig({ ...SETTINGS, SESSION_STORE_URL: url, LIMITS_STORE_URL: url })
    expect(config.sessionStore).toEqual({ kind: 'redis', redis })
    expect(config.limitsStore).toEqual({ kind: 'redis', redis })
  })
  test('REDIS_CA_FILE and REDIS_KEY_PREFIX apply to the address', () => {
    const [certificate = ''] = rootCertificates
    const more = { REDIS_CA_FILE: file(certificate), REDIS_KEY_PREFIX: 'event:2026:' }
    const config = readConfig({ ...SETTINGS, ...more, LIMITS_STORE_URL: 'rediss://cache.example.com' })
    expect(config.limitsStore).toMatchObject({ redis: { tls: { authority: certificate }, keyPrefix: 'event:2026:' } })
    expect(mistakesIn({ ...SETTINGS, ...more, LIMITS_STORE_URL: 'redis://cache.example.com' })).toEqual([
      expect.stringMatching(/^REDIS_CA_FILE .*rediss:/),
    ])
  })
  test.each([
    ['redis://redis', 0],
    ['redis://localhost', 0],
    ['redis://127.0.0.1', 0],
    ['redis://[::1]', 0],
    ['rediss://cache.example.com', 0],
    ['redis://cache.example.com', 1],
    ['redis://10.0.0.7', 1],
    ['redis://[2001:db8::1]', 1],
    ['redis-cluster://one,two', 0],
    ['redis-cluster://one,two.example.com', 1],
    ['rediss-cluster://one.example.com', 0],
  ])('%s gives %i warnings', (LIMITS_STORE_URL, times) => {
    const { warnings } = readConfig({ ...SETTINGS, LIMITS_STORE_URL })
    expect(warnings).toHaveLength(times)
    for (const warning of warnings) expect(warning).toMatch(/^LIMITS_STORE_URL: .*not encrypted/)
  })
})

describe('an address in a file', () => {
  test('an address may be in a file, because it contains a password', () => {
    const config = readConfig({
      ...SETTINGS,
      USER_STORE_URL_FILE: file('sqlite:/var/lib/viewers.db\n'),
      SESSION_STORE_URL_FILE: file('redis://:pass@redis\n'),
      LIMITS_STORE_URL_FILE: file('redis://:pass@redis/1\n'),
    })
    expect(config.userStore).toMatchObject({ file: '/var/lib/viewers.db' })
    expect(config.sessionStore).toEqual({ kind: 'redis', redis: { ...PLACE, password: 'pass' } })
    expect(config.limitsStore).toEqual({ kind: 'redis', redis: { ...PLACE, password: 'pass', database: 1 } })
  })
  test.each(['USER_STORE_URL', 'SESSION_STORE_URL', 'LIMITS_STORE_URL'])(
    'an unreadable file for %s is one mistake',
    (name) => {
      expect(mistakesIn({ ...SETTINGS, [name]: '', [`${name}_FILE`]: '/nonexistent' })).toEqual([
        `${name}_FILE names a file that does not exist`,
      ])
      expect(mistakesIn({ ...SETTINGS, [`${name}_FILE`]: file('wrong'), [name]: 'wrong' })).toEqual([
        `${name} and ${name}_FILE are both set: remove one`,
        expect.stringMatching(new RegExp(`^${name} must be `)),
      ])
    },
  )
})

describe('LIMITS_STORE_URL', () => {
  test('the shared stores are read without the other settings', () => {
    expect(readSharedStores({ SESSION_STORE_URL: 'redis://redis' }).limitsStore).toEqual({ kind: 'memory' })
    const LIMITS_STORE_URL_FILE = file('redis://redis')
    expect(readSharedStores({ LIMITS_STORE_URL_FILE }).limitsStore).toEqual({ kind: 'redis', redis: PLACE })
  })
  test('a wrong LIMITS_STORE_URL is refused', () => {
    expect(() => readSharedStores({ LIMITS_STORE_URL: 'redis' })).toThrow(ConfigError)
    expect(() => readSharedStores({ LIMITS_STORE_URL_FILE: '/nonexistent' })).toThrow(/^LIMITS_STORE_URL_FILE names/)
  })
})
