import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UNBRANDED } from '../src/brand/brand.ts'
import { readConfig, settingNames } from '../src/config.ts'
import { ConfigError } from '../src/errors.ts'
import { features } from '../src/features.ts'
import type { Environment } from '../src/settings/fields.ts'
import { isSecret, KIT_SETTINGS } from './kit-settings.ts'
import { FEATURES_OFF } from './login/entry-point.ts'
import { mistakesIn, SETTINGS } from './settings.ts'
import { CHOSEN_STORE } from './users/chosen-store.ts'
import { temporaryFolder } from './users/temporary-folder.ts'
import { OF_CHOSEN_STORE, STORE_SETTINGS, WRONG } from './wrong-settings.ts'

describe('the settings', () => {
  test('the settings without a default are enough', () => {
    expect(readConfig(SETTINGS)).toEqual({
      publicUrl: new URL('https://login.example.com'),
      host: '0.0.0.0',
      port: 3000,
      entryPoints: [
        {
          name: 'default',
          basePath: '',
          secret: SETTINGS.HASH_SECRET,
          previousSecret: null,
          secretFiles: null,
          parameters: [{ name: 'user', attribute: 'username' }],
          lifetimeSeconds: 3600,
          playerAddress: { url: 'https://player.example/embed/hashlock/pass', origin: 'https://player.example' },
          playerOrigins: ['https://player.example'],
          consumers: [],
          allowedGroups: null,
          hasScript: true,
          brand: UNBRANDED,
          ...FEATURES_OFF,
        },
      ],
      userStore: expect.any(Object),
      sessionStore: { kind: 'sqlite', file: 'data/sessions.db' },
      limitsStore: expect.any(Object),
      addressLimit: { failures: 300, trustedNetworks: [] },
      sessions: {
        secrets: [SETTINGS.SESSION_SECRET],
        lifetimeSeconds: 28_800,
        idleSeconds: 14_400,
        mostPerViewer: 20,
      },
      features: expect.any(Object),
      contextWords: ['login', 'example'],
      trustProxyHops: 0,
      trustedProxies: [],
      shutdownDelaySeconds: 2,
      securityLog: features.find(({ securityLog }) => securityLog)?.securityLog ?? null,
      logLevel: 'info',
      warnings: [],
    })
  })
  test('every setting can be set', () => {
    const config = readConfig({
      ...SETTINGS,
      PORT: '0',
      HOST: '127.0.0.1',
      HASH_PARAMETERS: 'user = username, Straße= street,\n seat=seat',
      HASH_LIFETIME_SECONDS: '120',
      PLAYER_ORIGINS: 'https://player.example https://page.example:8443,\nhttps://[2001:db8::1]',
      HASH_CONSUMERS: 'https://player.example/chat/, https://qa.example/live/',
      ALLOWED_GROUPS: 'staff, night shift ,',
      SCREEN_SCRIPT: 'off',
      SESSION_STORE_URL: 'sqlite:/var/lib/sessions.db',
      SESSION_LIFETIME_SECONDS: '7200',
      SESSION_IDLE_SECONDS: '600',
      SESSIONS_PER_VIEWER: '200',
      LIMITS_STORE_URL: 'memory:',
      TRUST_PROXY_HOPS: '2',
      TRUSTED_PROXIES: '10.0.0.7, 2001:db8::/48',
      SHUTDOWN_DELAY_SECONDS: '0',
      METRICS_PORT: '9090',
      LOG_LEVEL: 'debug',
    })
    expect(config).toMatchObject({
      port: 0,
      host: '127.0.0.1',
      sessionStore: { file: '/var/lib/sessions.db' },
      sessions: { lifetimeSeconds: 7200, idleSeconds: 600, mostPerViewer: 200 },
      trustProxyHops: 2,
      trustedProxies: [
        [{ octets: [10, 0, 0, 7] }, 32],
        [{ parts: [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0] }, 48],
      ],
      shutdownDelaySeconds: 0,
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
          { origin: 'https://player.example', path: '/chat/' },
          { origin: 'https://qa.example', path: '/live/' },
        ],
        allowedGroups: ['staff', 'night shift'],
        hasScript: false,
      },
    ])
  })
  test('group names are read in NFC, the form that the stores keep', () => {
    const { entryPoints } = readConfig({ ...SETTINGS, ALLOWED_GROUPS: 'Vide\u0301o, staff' })
    expect(entryPoints[0]?.allowedGroups).toEqual(['Vid\u00e9o', 'staff'])
  })
  test('all missing settings are reported at once', () => {
    expect(mistakesIn(CHOSEN_STORE).map((sentence) => sentence.split(' is required: ')[0])).toEqual([
      'PUBLIC_URL',
      'SESSION_SECRET',
      'HASH_SECRET',
      'PLAYER_RETURN_URL',
      'PLAYER_ORIGINS',
    ])
  })
  test('an empty setting counts as missing', () => {
    const empty = Object.fromEntries(settingNames().map((name) => [name, '']))
    expect(mistakesIn(empty)).toEqual(mistakesIn({}))
    expect(readConfig({ ...empty, ...SETTINGS })).toEqual(readConfig(SETTINGS))
  })
  test('variables of other programs are ignored', () => {
    expect(readConfig({ ...SETTINGS, PATH: '/bin', NODE_ENV: 'production', PORTS: 'x' })).toEqual(readConfig(SETTINGS))
  })
})

/** A sentence that starts with the setting's name and contains the part. */
function sentenceWith(name: string, part: string): unknown {
  return expect.toSatisfy(
    (sentence: string) => sentence.startsWith(name) && sentence.includes(part),
    `${name} … ${part}`,
  )
}

describe('a wrong setting', () => {
  test.each(WRONG)('%s=%s is reported in one sentence', (name, value, part) => {
    expect(mistakesIn({ ...SETTINGS, [name]: value })).toEqual([sentenceWith(name, part)])
  })
  test('the table above has every setting that can be wrong', () => {
    const inTable = new Set(WRONG.map(([name]) => name))
    // Any name of a host is accepted, and the mistakes in a file are those of its content.
    const others = [
      'HOST',
      'ENTRY_POINTS_FILE',
      ...OF_CHOSEN_STORE,
      ...KIT_SETTINGS.filter((name) => isSecret(name.replace(/_FILE$/, '')) && !isSecret(name)),
    ]
    expect([...inTable, ...others].toSorted()).toEqual(KIT_SETTINGS.toSorted())
  })
  test('NODE_TLS_REJECT_UNAUTHORIZED=0 stops the start, and another value does not', () => {
    const NAME = 'NODE_TLS_REJECT_UNAUTHORIZED'
    expect(mistakesIn({ ...SETTINGS, [NAME]: '0' })).toEqual([sentenceWith(NAME, 'NODE_EXTRA_CA_CERTS')])
    expect(mistakesIn({ ...SETTINGS, [NAME]: '1' })).toEqual([])
  })
  test('all wrong settings are reported at once, also when PUBLIC_URL is wrong', () => {
    // Whose settings they are is not known while USER_STORE_URL is wrong.
    const wrong = WRONG.filter(([name]) => !STORE_SETTINGS.includes(name))
    const lastOfEach = new Map(wrong.map(([name, value, part]) => [name, { value, part }]))
    const environment = Object.fromEntries([...lastOfEach].map(([name, { value }]) => [name, value]))
    const expected = [...lastOfEach].map(([name, { part }]) => sentenceWith(name, part))
    const mistakes = mistakesIn(environment)
    for (const sentence of expected) expect(mistakes).toContainEqual(sentence)
    expect(mistakes).toHaveLength(expected.length)
  })
  test('every wrong item of a list is reported, and no other', () => {
    const PLAYER_ORIGINS = 'https://*.a.example,https://b.example,https://c.example/'
    expect(mistakesIn({ ...SETTINGS, PLAYER_ORIGINS, HASH_PARAMETERS: 'a,b,hash=c' })).toEqual([
      sentenceWith('HASH_PARAMETERS', 'item 1'),
      sentenceWith('HASH_PARAMETERS', 'item 2'),
      sentenceWith('HASH_PARAMETERS', 'item 3 is reserved'),
      sentenceWith('PLAYER_ORIGINS', 'item 1'),
      sentenceWith('PLAYER_ORIGINS', 'item 3'),
    ])
  })
})

describe('a warning', () => {
  const warningsOf = (more: Environment) => readConfig({ ...SETTINGS, ...more }).warnings
  test('a lifetime of 0 gives a warning', () => {
    expect(warningsOf({ HASH_LIFETIME_SECONDS: '0' })).toEqual([expect.stringContaining('never expires')])
  })
  test('a lifetime of more than a week gives a warning', () => {
    const sessions = { SESSION_IDLE_SECONDS: '2592000', SESSION_LIFETIME_SECONDS: '2592000' }
    const warning = [expect.stringContaining('lives longer than a week')]
    expect(warningsOf({ ...sessions, HASH_LIFETIME_SECONDS: '604801' })).toEqual(warning)
    expect(warningsOf({ ...sessions, HASH_LIFETIME_SECONDS: '604800' })).toEqual([])
  })
  test('a response that outlives every session gives a warning', () => {
    const longer = { HASH_LIFETIME_SECONDS: '7200' }
    expect(warningsOf({ ...longer, SESSION_IDLE_SECONDS: '7199' })).toEqual([
      expect.stringContaining('SESSION_IDLE_SECONDS'),
    ])
    expect(warningsOf({ ...longer, SESSION_LIFETIME_SECONDS: '7199' })).toHaveLength(1)
    expect(warningsOf({ ...longer, SESSION_IDLE_SECONDS: '7200' })).toEqual([])
  })
  test('a session secret that the service knows gives a warning', () => {
    expect(warningsOf({ SESSION_SECRET: SETTINGS.HASH_SECRET })).toEqual([expect.stringContaining('SESSION_SECRET')])
    expect(warningsOf({ SESSION_SECRET_PREVIOUS: SETTINGS.HASH_SECRET })).toHaveLength(1)
    expect(warningsOf({ HASH_SECRET_PREVIOUS: SETTINGS.SESSION_SECRET })).toHaveLength(1)
  })
})

const OTHER = 'b81f4c02d97e36a5f0c8127d6e9a4b53'
describe('a previous secret', () => {
  const written = (text: string) => {
    const file = join(temporaryFolder(), 'secret')
    writeFileSync(file, text)
    return file
  }
  test('a previous secret is accepted beside the current one', () => {
    const both = { SESSION_SECRET_PREVIOUS: OTHER, HASH_SECRET_PREVIOUS_FILE: written(`${OTHER.replace('b', 'c')}\n`) }
    const { sessions, entryPoints, warnings } = readConfig({ ...SETTINGS, ...both })
    expect(sessions.secrets).toEqual([SETTINGS.SESSION_SECRET, OTHER])
    expect(entryPoints[0]).toMatchObject({ previousSecret: OTHER.replace('b', 'c'), secretFiles: null })
    expect(warnings).toEqual([])
  })
  test('the files of a secret are kept if both secrets are in files, and the second may be empty', () => {
    const { HASH_SECRET, ...others } = SETTINGS
    const files = { HASH_SECRET_FILE: written(HASH_SECRET), HASH_SECRET_PREVIOUS_FILE: written('\n') }
    const { entryPoints } = readConfig({ ...others, ...files })
    const secretFiles = { secret: files.HASH_SECRET_FILE, previous: files.HASH_SECRET_PREVIOUS_FILE }
    expect(entryPoints[0]).toMatchObject({ secret: HASH_SECRET, previousSecret: null, secretFiles })
  })
  test.each(['HASH_SECRET_PREVIOUS', 'SESSION_SECRET_PREVIOUS'])('%s_FILE must name a file', (name) => {
    const wrong = { ...SETTINGS, [`${name}_FILE`]: join(temporaryFolder(), 'none') }
    expect(mistakesIn(wrong)).toEqual([`${name}_FILE names a file that does not exist`])
  })
  test.each(['HASH_SECRET', 'SESSION_SECRET'] as const)(
    'a previous secret that is %s itself gives a warning',
    (name) => {
      expect(readConfig({ ...SETTINGS, [`${name}_PREVIOUS`]: SETTINGS[name] }).warnings).toHaveLength(1)
    },
  )
})

describe('the sentence for a mistake', () => {
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
  test('no sentence repeats a value, which may be a secret in the wrong place', () => {
    let refused = 0
    fc.assert(
      fc.property(fc.dictionary(name, marked, { minKeys: 1 }), fc.boolean(), (wrong, withOthers) => {
        const mistakes = mistakesIn(withOthers ? { ...SETTINGS, ...wrong } : wrong)
        refused += mistakes.length
        expect(mistakes.join('\n')).not.toContain('marked7')
      }),
      { numRuns: 200 },
    )
    expect(refused).toBeGreaterThan(200)
  })
  test('every sentence is one short line, not in the words of a library', () => {
    const path = temporaryFolder()
    for (const [setting, value] of WRONG) {
      for (const sentence of mistakesIn({ [setting]: value, SESSION_SECRET_FILE: path })) {
        expect(sentence).toMatch(/^[A-Z]+(_[A-Z]+)*:? (?!Invalid)[^\n]{10,220}[^.]$/)
        expect(sentence).not.toMatch(/undefined|NaN|\[object|expected|received|ENO/)
      }
    }
  })
  test('mistakes are thrown as a ConfigError with a heading', () => {
    expect(() => readConfig({})).toThrow(ConfigError)
    expect(() => readConfig({})).toThrow(/^These settings are missing or wrong:\n {2}PUBLIC_URL is required/)
  })
})
