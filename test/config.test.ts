import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Environment, readConfig, settingNames } from '../src/config.ts'
import { ConfigError } from '../src/errors.ts'
import { userStores } from '../src/users/open-user-store.ts'
import { mistakesIn, SETTINGS } from './settings.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

const MAKE_ONE = 'make one with: npm run -s viewer-auth -- secret generate'
const TOO_SHORT = `is too short: it must have 128 random bits at least; ${MAKE_ONE}`
const NO_ORIGIN =
  'must be an origin as browsers write it, such as https://player.example: without a path, a slash at the end, a wildcard, a default port or capital letters'
const NOT_HTTPS =
  'must be https: plain http is accepted only where both it and PUBLIC_URL are on localhost, 127.0.0.1 or [::1]'
const NOT_BARE = 'must be an origin alone, such as https://login.example.com, without a path or anything else'
const OTHER_STORE = 'is a setting of another store than that of USER_STORE_URL: remove it'
const REDIS =
  'redis://USER:PASSWORD@HOST:PORT/DATABASE (TLS: rediss://), only the host being needed; in a part, "@", "/", "#" and "%" are written %40, %2F, %23 and %25'
const SESSION_STORE = `must be sqlite:FILE, as in sqlite:data/sessions.db, or ${REDIS}`
const LIMITS_STORE = `must be memory: or ${REDIS}`
const KEY_PREFIX = 'must be 1 to 64 letters, digits and signs of "-", "_", ":" and ".", as in viewer-auth:'

describe('the settings', () => {
  test('that have no default are enough', () => {
    expect(readConfig(SETTINGS)).toEqual({
      publicUrl: new URL('https://login.example.com'),
      host: '0.0.0.0',
      port: 3000,
      entryPoints: [
        {
          name: 'default',
          basePath: '',
          secret: SETTINGS.HASH_SECRET,
          parameters: [{ name: 'user', attribute: 'username' }],
          lifetimeSeconds: 3600,
          playerAddress: { url: 'https://player.example/embed/hashlock/pass', origin: 'https://player.example' },
          playerOrigins: ['https://player.example'],
          consumers: [],
          allowedGroups: null,
        },
      ],
      userStore: { kind: 'sqlite', file: 'data/viewers.db' },
      sessionStore: { kind: 'sqlite', file: 'data/sessions.db' },
      limitsStore: { kind: 'memory' },
      sessions: {
        secrets: [SETTINGS.SESSION_SECRET],
        lifetimeSeconds: 28_800,
        idleSeconds: 14_400,
      },
      trustProxyHops: 0,
      shutdownDelaySeconds: 2,
      metricsPort: null,
      logLevel: 'info',
      warnings: [],
    })
  })
  test('may all be set', () => {
    const config = readConfig({
      ...SETTINGS,
      PORT: '0',
      HOST: '127.0.0.1',
      HASH_PARAMETERS: 'user=username, Straße=street,\n seat=seat',
      HASH_LIFETIME_SECONDS: '120',
      PLAYER_ORIGINS: 'https://player.example https://page.example:8443,\nhttps://[2001:db8::1]',
      HASH_CONSUMERS: 'https://player.example/chat/, https://qa.example/live/',
      ALLOWED_GROUPS: 'staff, night shift ,',
      USER_STORE_URL: 'sqlite:/var/lib/viewers.db',
      SESSION_STORE_URL: 'sqlite:/var/lib/sessions.db',
      SESSION_LIFETIME_SECONDS: '7200',
      SESSION_IDLE_SECONDS: '600',
      LIMITS_STORE_URL: 'memory:',
      TRUST_PROXY_HOPS: '2',
      SHUTDOWN_DELAY_SECONDS: '0',
      METRICS_PORT: '9090',
      LOG_LEVEL: 'debug',
    })
    expect(config).toMatchObject({
      port: 0,
      host: '127.0.0.1',
      userStore: { file: '/var/lib/viewers.db' },
      sessionStore: { file: '/var/lib/sessions.db' },
      sessions: { lifetimeSeconds: 7200, idleSeconds: 600 },
      trustProxyHops: 2,
      shutdownDelaySeconds: 0,
      metricsPort: 9090,
      logLevel: 'debug',
    })
    expect(config.entryPoints).toMatchObject([
      {
        parameters: [
          { name: 'user', attribute: 'username' },
          { name: 'Straße', attribute: 'street' },
          { name: 'seat', attribute: 'seat' },
        ],
        lifetimeSeconds: 120,
        playerOrigins: ['https://player.example', 'https://page.example:8443', 'https://[2001:db8::1]'],
        consumers: [
          { origin: 'https://player.example', pathPrefix: '/chat/' },
          { origin: 'https://qa.example', pathPrefix: '/live/' },
        ],
        allowedGroups: ['staff', 'night shift'],
      },
    ])
  })
  test('that name groups name them in the form that the stores keep, however an editor spelled them', () => {
    const { entryPoints } = readConfig({ ...SETTINGS, ALLOWED_GROUPS: 'Vide\u0301o, staff' })
    expect(entryPoints[0]?.allowedGroups).toEqual(['Vid\u00e9o', 'staff'])
  })
  test('that are missing are all named, each with what to do', () => {
    expect(mistakesIn({})).toEqual([
      'PUBLIC_URL is required: the address of this app as browsers see it, such as https://login.example.com',
      `SESSION_SECRET is required: ${MAKE_ONE}`,
      `HASH_SECRET is required: ${MAKE_ONE}`,
      "PLAYER_RETURN_URL is required: the video service's {player_return_url}, where the player takes the response",
      'PLAYER_ORIGINS is required: the origins that may frame the screens, those of the player and of every page that embeds it',
    ])
  })
  test('that are empty are missing', () => {
    const empty = Object.fromEntries(settingNames().map((name) => [name, '']))
    expect(mistakesIn(empty)).toEqual(mistakesIn({}))
    expect(readConfig({ ...empty, ...SETTINGS })).toEqual(readConfig(SETTINGS))
  })
  test('of other programs in the environment are left alone', () => {
    expect(readConfig({ ...SETTINGS, PATH: '/bin', NODE_ENV: 'production', PORTS: 'x' })).toEqual(readConfig(SETTINGS))
  })
})

/** One wrong value each, with the whole sentence. */
const WRONG: readonly (readonly [name: string, value: string, sentence: string])[] = [
  ['PUBLIC_URL', 'login.example.com', ' must be an https address, such as https://login.example.com'],
  ['PUBLIC_URL', 'localhost:3000', ' must be an https address, such as https://login.example.com'],
  ['PUBLIC_URL', 'ftp://login.example.com', ' must be an https address, such as https://login.example.com'],
  ['PUBLIC_URL', 'https://*.example.com', ' must be an https address, such as https://login.example.com'],
  ['PUBLIC_URL', 'https://login.example.com/sign-in', ` ${NOT_BARE}`],
  ['PUBLIC_URL', 'https://login.example.com/?a', ` ${NOT_BARE}`],
  ['PUBLIC_URL', 'https://login.example.com/#a', ` ${NOT_BARE}`],
  ['PUBLIC_URL', 'https://ada:pass@login.example.com', ` ${NOT_BARE}`],
  ['PORT', '65536', ' must be a whole number from 0 to 65535'],
  ['PORT', '-1', ' must be a whole number from 0 to 65535'],
  ['PORT', '3000.0', ' must be a whole number from 0 to 65535'],
  ['PORT', '0x10', ' must be a whole number from 0 to 65535'],
  ['PORT', ' 3000', ' must be a whole number from 0 to 65535'],
  ['HASH_SECRET', 'a', ` ${TOO_SHORT}`],
  ['SESSION_SECRET', 'a', ` ${TOO_SHORT}`],
  ['HASH_PARAMETERS', ',', ' must list 1 to 10 parameters, as in user=username'],
  ['HASH_PARAMETERS', 'a=b,'.repeat(11), ' must list 1 to 10 parameters, as in user=username'],
  ['HASH_PARAMETERS', 'user', ' must list name=attribute, as in user=username: item 1 is not of this form'],
  ['HASH_PARAMETERS', 'user=username,=b', ' must list name=attribute, as in user=username: item 2 is not of this form'],
  ['HASH_PARAMETERS', 'user=', ' must list name=attribute, as in user=username: item 1 is not of this form'],
  ['HASH_PARAMETERS', 'user=a=b', ' must list name=attribute, as in user=username: item 1 is not of this form'],
  ['HASH_PARAMETERS', 'hash=username', ': the parameter name in item 1 is reserved'],
  ['HASH_PARAMETERS', 'a=b,hashExpire=c', ': the parameter name in item 2 is reserved'],
  ['HASH_PARAMETERS', '__proto__=username', ': the parameter name in item 1 is reserved'],
  ['HASH_PARAMETERS', 'a|b=c', ': the parameter name in item 1 holds a "|", which separates the hashed values'],
  ['HASH_PARAMETERS', 'user=a,user=b', ' names a parameter twice'],
  ['HASH_LIFETIME_SECONDS', '31536001', ' must be a whole number from 0 to 31536000'],
  ['HASH_LIFETIME_SECONDS', '1h', ' must be a whole number from 0 to 31536000'],
  ['PLAYER_RETURN_URL', '/embed/hashlock/pass', ' is not an absolute http or https address'],
  ['PLAYER_RETURN_URL', 'https://player.example/?hash=', ' already holds a parameter "hash"'],
  ['PLAYER_RETURN_URL', 'https://ada:pass@player.example/', ' holds a user name or password'],
  ['PLAYER_RETURN_URL', 'http://player.example/pass', ` ${NOT_HTTPS}`],
  ['PLAYER_ORIGINS', ' , ', ' must name one origin at least, such as https://player.example'],
  ['PLAYER_ORIGINS', '*', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://*.example', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://*', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://player.example:*', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', "'self'", `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https:', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'null', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'player.example', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://player.example/', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://player.example/embed', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://player.example:443', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://Player.example', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://player.example;script-src', `: item 1 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://ok.example wss://player.example', `: item 2 ${NO_ORIGIN}`],
  ['PLAYER_ORIGINS', 'https://ok.example,http://player.example', `: item 2 ${NOT_HTTPS}`],
  ['HASH_CONSUMERS', 'https://player.example', ': item 1 must end with "/"'],
  ['HASH_CONSUMERS', 'https://player.example/', ': item 1 must name a path behind the host, not the whole origin'],
  ['HASH_CONSUMERS', 'https://player.example/chat', ': item 1 must end with "/"'],
  ['HASH_CONSUMERS', 'https://*.example/chat/', ': item 1 holds an unusual host name'],
  ['HASH_CONSUMERS', 'https://a.example/b/,http://player.example/chat/', `: item 2 ${NOT_HTTPS}`],
  ['HASH_CONSUMERS', '/chat/', ': item 1 is not an absolute http or https address'],
  ['ALLOWED_GROUPS', ' , ,', ' must name one group at least; leave it out to let everyone watch'],
  ['USER_STORE_URL', 'mysql://ada:pass@db/viewers', expect.stringContaining(' must be ')],
  ...userStores.settingNames.map((name): [string, string, string] => [name, 'x', ` ${OTHER_STORE}`]),
  ['SESSION_STORE_URL', 'data/sessions.db', ` ${SESSION_STORE}`],
  ['SESSION_STORE_URL', 'sqlite:', ` ${SESSION_STORE}`],
  ['SESSION_STORE_URL', 'sqlite://host/a.db', ` ${SESSION_STORE}`],
  ['SESSION_STORE_URL', 'sqlite::memory:', ` ${SESSION_STORE}`],
  ['SESSION_STORE_URL', 'memory:', ` ${SESSION_STORE}`],
  ['SESSION_LIFETIME_SECONDS', '59', ' must be a whole number from 60 to 2592000'],
  ['SESSION_IDLE_SECONDS', '2592001', ' must be a whole number from 60 to 2592000'],
  ['LIMITS_STORE_URL', 'redis', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'sqlite:data/limits.db', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis:db.example', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'http://db.example:6379', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://db.example:65536', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://db.example/zero', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://db.example/0?tls=false', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://:pa#ss@db.example', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://:pa/ss@db.example', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://:pa%ss@db.example', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://ada@db.example', ` ${LIMITS_STORE}`],
  ['LIMITS_STORE_URL', 'redis://one.example,two.example', ` ${LIMITS_STORE}`],
  ['REDIS_CA_FILE', '/nonexistent/ca.pem', ' names a file that does not exist'],
  ['REDIS_CA_FILE', 'package.json', ' names a file that holds no certificate in PEM form'],
  ['REDIS_KEY_PREFIX', 'viewer*', ` ${KEY_PREFIX}`],
  ['REDIS_KEY_PREFIX', 'x'.repeat(65), ` ${KEY_PREFIX}`],
  ['TRUST_PROXY_HOPS', 'true', ' must be a whole number from 0 to 20'],
  ['SHUTDOWN_DELAY_SECONDS', '301', ' must be a whole number from 0 to 300'],
  ['METRICS_PORT', 'on', ' must be a whole number from 0 to 65535'],
  ['LOG_LEVEL', 'verbose', ' must be one of trace, debug, info, warn, error, fatal, silent'],
]

describe('a wrong setting', () => {
  test.each(WRONG)('%s=%s is named in one sentence', (name, value, end) => {
    const expected = typeof end === 'string' ? `${name}${end}` : end
    expect(mistakesIn({ ...SETTINGS, [name]: value })).toEqual([expected])
  })
  test('is in the table above for each setting that can be wrong', () => {
    const inTable = new Set(WRONG.map(([name]) => name))
    const secrets = [
      'HASH_SECRET',
      'SESSION_SECRET',
      'USER_STORE_URL',
      'SESSION_STORE_URL',
      'LIMITS_STORE_URL',
      'POSTGRES_PASSWORD',
      'LDAP_BIND_PASSWORD',
      'HTTP_STORE_TOKEN',
    ]
    const others = ['HOST', 'ENTRY_POINTS_FILE', ...secrets.map((name) => `${name}_FILE`)]
    expect([...inTable, ...others].toSorted()).toEqual(settingNames().toSorted())
  })
  test('does not hide another: all of them are named at once, also when PUBLIC_URL is wrong', () => {
    // Whose settings they are is not known while USER_STORE_URL is wrong.
    const wrong = WRONG.filter(([name]) => !userStores.settingNames.includes(name))
    const lastOfEach = new Map(wrong.map(([name, value, end]) => [name, { value, end }]))
    const environment = Object.fromEntries([...lastOfEach].map(([name, { value }]) => [name, value]))
    const expected = [...lastOfEach].map(([name, { end }]) => (typeof end === 'string' ? `${name}${end}` : end))
    const mistakes = mistakesIn(environment)
    for (const sentence of expected) expect(mistakes).toContainEqual(sentence)
    expect(mistakes).toHaveLength(expected.length)
  })
  test('in several items of one list is named for each of them, and for nothing else', () => {
    const PLAYER_ORIGINS = 'https://*.a.example,https://b.example,https://c.example/'
    expect(mistakesIn({ ...SETTINGS, PLAYER_ORIGINS, HASH_PARAMETERS: 'a,b,hash=c' })).toEqual([
      'HASH_PARAMETERS must list name=attribute, as in user=username: item 1 is not of this form',
      'HASH_PARAMETERS must list name=attribute, as in user=username: item 2 is not of this form',
      'HASH_PARAMETERS: the parameter name in item 3 is reserved',
      `PLAYER_ORIGINS: item 1 ${NO_ORIGIN}`,
      `PLAYER_ORIGINS: item 3 ${NO_ORIGIN}`,
    ])
  })
})

describe('a warning', () => {
  const warningsOf = (more: Environment) => readConfig({ ...SETTINGS, ...more }).warnings
  test('says that a response is good for ever', () => {
    expect(warningsOf({ HASH_LIFETIME_SECONDS: '0' })).toEqual([expect.stringContaining('good for ever')])
  })
  test('says that a response outlives every session', () => {
    const longer = { HASH_LIFETIME_SECONDS: '7200' }
    expect(warningsOf({ ...longer, SESSION_IDLE_SECONDS: '7199' })).toEqual([
      expect.stringContaining('SESSION_IDLE_SECONDS'),
    ])
    expect(warningsOf({ ...longer, SESSION_LIFETIME_SECONDS: '7199' })).toHaveLength(1)
    expect(warningsOf({ ...longer, SESSION_IDLE_SECONDS: '7200' })).toEqual([])
  })
  test('says that the service knows the secret of the sessions', () => {
    expect(warningsOf({ SESSION_SECRET: SETTINGS.HASH_SECRET })).toEqual([expect.stringContaining('SESSION_SECRET')])
  })
})

describe('no sentence', () => {
  const name = fc.constantFrom(...settingNames())
  const marked = fc
    .tuple(
      fc.constantFrom(
        '',
        'https://',
        'https://ada:',
        'http://x.example/',
        'redis://:',
        'user=',
        'postgres://ada:',
        '["',
        '*',
      ),
      fc.constantFrom('', '@db.example', '/', '@player.example/', ',', '\n', '\0', ' =', '=', '"]', '|'),
    )
    .map(([before, behind]) => `${before}marked7RxK2mTz9LpWc4VbN8sYd${behind}`)
  test('repeats a value: whatever it is, it may be a secret in the wrong place', () => {
    let refused = 0
    fc.assert(
      fc.property(fc.dictionary(name, marked, { minKeys: 1 }), fc.boolean(), (wrong, withOthers) => {
        const mistakes = mistakesIn(withOthers ? { ...SETTINGS, ...wrong } : wrong)
        refused += mistakes.length
        expect(mistakes.join('\n')).not.toContain('marked7')
      }),
      { numRuns: 1000 },
    )
    expect(refused).toBeGreaterThan(1000)
  })
  test('is longer than a line, or in the words of a library', () => {
    const path = temporaryFolder()
    for (const [setting, value] of WRONG) {
      for (const sentence of mistakesIn({ [setting]: value, SESSION_SECRET_FILE: path })) {
        expect(sentence).toMatch(/^[A-Z]+(_[A-Z]+)*:? (?!Invalid)[^\n]{10,220}[^.]$/)
        expect(sentence).not.toMatch(/undefined|NaN|\[object|expected|received|ENO/)
      }
    }
  })
  test('is anything but a ConfigError', () => {
    expect(() => readConfig({})).toThrow(ConfigError)
    expect(() => readConfig({})).toThrow(/^These settings are missing or wrong:\n {2}PUBLIC_URL is required/)
  })
})
