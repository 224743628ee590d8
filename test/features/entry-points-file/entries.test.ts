import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UNBRANDED } from '../../../src/brand/brand.ts'
import { readConfig } from '../../../src/config.ts'
import type { Environment } from '../../../src/settings/fields.ts'
import { FEATURES_OFF } from '../../login/entry-point.ts'
import { APP_SETTINGS, mistakesIn } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const SECRET = '3f9a1c7be2d84560af13c9d27e6b8045'
const OTHER_SECRET = '8045e2d84560af13c9d27e6b3f9a1c7b'
const ENTRY = {
  name: 'news',
  secret: SECRET,
  playerReturnUrl: 'https://player.example/embed/hashlock/pass',
  playerOrigins: ['https://player.example'],
}

/** The settings of an app with this file of entry points; a text is written unchanged. */
function withFile(content: unknown, more: Environment = {}): Environment {
  const file = fileWith(typeof content === 'string' ? content : JSON.stringify(content))
  return { ...APP_SETTINGS, ENTRY_POINTS_FILE: file, ...more }
}

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'entry-points.json')
  writeFileSync(file, text)
  return file
}

const DEFAULTS = { brand: UNBRANDED, ...FEATURES_OFF }

describe('a file of entry points', () => {
  test('each entry point has its own secret, addresses, origins, parameters, lifetime and groups', () => {
    const sport = {
      name: 'sport-2',
      secretFile: fileWith(`${OTHER_SECRET}\n`),
      playerReturnUrl: 'https://sport.example/pass?a=b',
      playerOrigins: ['https://sport.example', 'https://page.example:8443'],
      hashConsumers: ['https://sport.example/chat/', 'https://qa.example/live/'],
      hashParameters: ['user=username', 'seat=seat'],
      hashLifetimeSeconds: 0,
      allowedGroups: ['staff, paid', 'night shift'],
      screenScript: 'off',
    }
    expect(readConfig(withFile([ENTRY, sport])).entryPoints).toEqual([
      {
        name: 'news',
        basePath: '/e/news',
        secret: SECRET,
        previousSecret: null,
        secretFiles: null,
        parameters: [{ name: 'user', attribute: 'username' }],
        lifetimeSeconds: 3600,
        playerAddress: { url: 'https://player.example/embed/hashlock/pass', origin: 'https://player.example' },
        playerOrigins: ['https://player.example'],
        consumers: [],
        allowedGroups: null,
        hasScript: true,
        ...DEFAULTS,
      },
      {
        name: 'sport-2',
        basePath: '/e/sport-2',
        secret: OTHER_SECRET,
        previousSecret: null,
        secretFiles: null,
        parameters: [
          { name: 'user', attribute: 'username' },
          { name: 'seat', attribute: 'seat' },
        ],
        lifetimeSeconds: 0,
        playerAddress: { url: 'https://sport.example/pass?a=b', origin: 'https://sport.example' },
        playerOrigins: ['https://sport.example', 'https://page.example:8443'],
        consumers: [
          { origin: 'https://sport.example', path: '/chat/' },
          { origin: 'https://qa.example', path: '/live/' },
        ],
        allowedGroups: ['staff, paid', 'night shift'],
        hasScript: false,
        ...DEFAULTS,
      },
    ])
  })
  test('the entry point named "default" is served at "/"', () => {
    const { entryPoints } = readConfig(withFile([ENTRY, { ...ENTRY, name: 'default', secret: OTHER_SECRET }]))
    expect(entryPoints.map(({ name, basePath }) => [name, basePath])).toEqual([
      ['news', '/e/news'],
      ['default', ''],
    ])
  })
  test('a byte order mark and empty lists are accepted', () => {
    const { entryPoints } = readConfig(withFile(`\ufeff${JSON.stringify([{ ...ENTRY, hashConsumers: [] }])}`))
    expect(entryPoints).toHaveLength(1)
  })
  test.each(['a', '0', 'a-', '2026-news', 'x'.repeat(64)])('%s is accepted as a name', (name) => {
    expect(mistakesIn(withFile([{ ...ENTRY, name }]))).toEqual([])
  })
  test('plain http is accepted under the same rule as in the settings', () => {
    const http = {
      ...ENTRY,
      playerReturnUrl: 'http://127.0.0.1:4000/pass',
      playerOrigins: ['http://127.0.0.1:4000', 'http://page.localhost:4000'],
      hashConsumers: ['http://127.0.0.1:4000/chat/'],
    }
    expect(mistakesIn(withFile([http], { PUBLIC_URL: 'http://localhost:3000' }))).toEqual([])
    expect(mistakesIn(withFile([http]))).toEqual([
      expect.stringMatching(/^ENTRY_POINTS_FILE, entry 1: playerReturnUrl must be https: /),
      expect.stringMatching(/^ENTRY_POINTS_FILE, entry 1: hashConsumers: item 1 must be https: /),
      expect.stringMatching(/^ENTRY_POINTS_FILE, entry 1: playerOrigins: item 1 must be https: /),
      expect.stringMatching(/^ENTRY_POINTS_FILE, entry 1: playerOrigins: item 2 must be https: /),
    ])
  })
  test('two entries with the same secret give a warning', () => {
    const warnings = (content: unknown) => readConfig(withFile(content)).warnings
    expect(warnings([ENTRY, { ...ENTRY, name: 'sport' }])).toEqual([expect.stringContaining('share a secret')])
    expect(warnings([ENTRY, { ...ENTRY, name: 'sport', secret: OTHER_SECRET }])).toEqual([])
  })
})

describe('a file of entry points is refused', () => {
  test.each([
    ['that is not JSON', '[{"name": "news",}]', 'names a file that is not JSON'],
    ['that is empty', '', 'names a file that is not JSON'],
    ['that is an object', ENTRY, 'must contain an array'],
    ['that is null', null, 'must contain an array'],
    ['without entries', [], 'must contain an array'],
  ])('a file %s is refused', (_name, content, sentence) => {
    expect(mistakesIn(withFile(content))).toEqual([expect.stringContaining(`ENTRY_POINTS_FILE ${sentence}`)])
  })
  test('a file that does not exist is refused', () => {
    expect(mistakesIn(withFile('', { ENTRY_POINTS_FILE: join(temporaryFolder(), 'none.json') }))).toEqual([
      'ENTRY_POINTS_FILE names a file that does not exist',
    ])
  })
  test('a folder in the place of the file is refused', () => {
    expect(mistakesIn(withFile('', { ENTRY_POINTS_FILE: temporaryFolder() }))).toEqual([
      expect.stringContaining('ENTRY_POINTS_FILE names a folder'),
    ])
  })
  test('the file and the settings of a single entry point exclude each other', () => {
    const others = { HASH_SECRET_FILE: fileWith(SECRET), PLAYER_ORIGINS: 'https://player.example', ALLOWED_GROUPS: 'a' }
    expect(mistakesIn(withFile([ENTRY], others))).toEqual([
      expect.stringMatching(/^ENTRY_POINTS_FILE .*HASH_SECRET_FILE, PLAYER_ORIGINS, ALLOWED_GROUPS/),
    ])
  })
})

const NAME = 'name must be'
const ONE_SECRET = 'secret or secretFile is required'
const RETURN_URL = 'playerReturnUrl is required'
const ORIGINS = 'playerOrigins is required'
const LIFETIME = 'hashLifetimeSeconds must be a whole number'
const ITEM = 'must be one item'
const without = (field: keyof typeof ENTRY) => ({ ...ENTRY, [field]: undefined })

describe('an entry is refused', () => {
  test.each<[string, unknown, string]>([
    ['that is null', null, 'must be an object'],
    ['that is text', 'news', 'must be an object'],
    ['without a name', without('name'), NAME],
    ['with a number for a name', { ...ENTRY, name: 7 }, NAME],
    ['with an empty name', { ...ENTRY, name: '' }, NAME],
    ['with capitals in its name', { ...ENTRY, name: 'News' }, NAME],
    ['with a slash in its name', { ...ENTRY, name: 'a/b' }, NAME],
    ['with dots for a name', { ...ENTRY, name: '..' }, NAME],
    ['with "-" before its name', { ...ENTRY, name: '-a' }, NAME],
    ['with a line end behind its name', { ...ENTRY, name: 'a\n' }, NAME],
    ['with a name of 65 letters', { ...ENTRY, name: 'x'.repeat(65) }, NAME],
    ['without a secret', without('secret'), ONE_SECRET],
    ['with a number for a secret', { ...ENTRY, secret: 7 }, 'secret must be text'],
    ['with a weak secret', { ...ENTRY, secret: 'a' }, 'secret is too short: '],
    ['with an empty secret', { ...ENTRY, secret: '' }, 'secret is too short: '],
    ['without a return address', without('playerReturnUrl'), RETURN_URL],
    ['with a list of return addresses', { ...ENTRY, playerReturnUrl: [] }, RETURN_URL],
    ['with a relative return address', { ...ENTRY, playerReturnUrl: '/' }, 'playerReturnUrl is not an absolute '],
    ['without origins', without('playerOrigins'), ORIGINS],
    ['with text for origins', { ...ENTRY, playerOrigins: 'https://player.example' }, ORIGINS],
    ['with an empty list of origins', { ...ENTRY, playerOrigins: [] }, 'playerOrigins must name at least one origin'],
    [
      'with a wildcard',
      { ...ENTRY, playerOrigins: ['https://*.a.example'] },
      'playerOrigins: item 1 must be an origin',
    ],
    [
      'with two origins in one',
      { ...ENTRY, playerOrigins: ['https://a.example,https://b.example'] },
      `playerOrigins: item 1 ${ITEM}`,
    ],
    ['with an empty origin', { ...ENTRY, playerOrigins: ['https://a.example', ''] }, `playerOrigins: item 2 ${ITEM}`],
    ['with a number for an origin', { ...ENTRY, playerOrigins: [7] }, 'playerOrigins: item 1 must be text'],
    ['with text for consumers', { ...ENTRY, hashConsumers: '' }, 'hashConsumers must be an array of texts'],
    [
      'with a whole origin for a consumer',
      { ...ENTRY, hashConsumers: ['https://a.example/'] },
      'hashConsumers: item 1 must have a path',
    ],
    ['without parameters', { ...ENTRY, hashParameters: [] }, 'hashParameters must list 1 to 10 parameters'],
    [
      'with a parameter without attribute',
      { ...ENTRY, hashParameters: ['user'] },
      'hashParameters: item 1 must be name=attribute',
    ],
    [
      'with a reserved parameter',
      { ...ENTRY, hashParameters: ['a=b', 'hash=c'] },
      'hashParameters: the parameter name in item 2 is reserved',
    ],
    ['with a parameter twice', { ...ENTRY, hashParameters: ['a=b', 'a=c'] }, 'hashParameters names a parameter twice'],
    ['with text for a lifetime', { ...ENTRY, hashLifetimeSeconds: '60' }, LIFETIME],
    ['with a negative lifetime', { ...ENTRY, hashLifetimeSeconds: -1 }, LIFETIME],
    ['with a fraction for a lifetime', { ...ENTRY, hashLifetimeSeconds: 1.5 }, LIFETIME],
    ['with more than a year', { ...ENTRY, hashLifetimeSeconds: 31_536_001 }, LIFETIME],
    ['with a list of no groups', { ...ENTRY, allowedGroups: [] }, 'allowedGroups must name at least one group'],
    ['with a wish that is unknown', { ...ENTRY, returningViewers: 'x' }, 'returningViewers must be continue or ask'],
    ['with an empty group', { ...ENTRY, allowedGroups: [' '] }, `allowedGroups: item 1 ${ITEM}`],
    ['with a field that is unknown', { ...ENTRY, colour: 'x' }, 'has unknown fields: colour; '],
    [
      'with the name of a setting',
      { ...ENTRY, HELP_URL: 'x' },
      'has unknown fields: HELP_URL (did you mean helpUrl?); ',
    ],
    [
      'with misspelled fields',
      { ...ENTRY, playerOrigin: 'x', brandColour: 'x', x: 'x' },
      'has unknown fields: playerOrigin (did you mean playerOrigins?), brandColour (did you mean brandColor?), x; ',
    ],
  ])('an entry %s is refused', (_name, entry, sentence) => {
    const [mistake, ...others] = mistakesIn(withFile([{ ...ENTRY, name: 'first', secret: OTHER_SECRET }, entry]))
    expect(mistake?.slice(0, 28 + sentence.length)).toBe(`ENTRY_POINTS_FILE, entry 2: ${sentence}`)
    expect(others).toEqual([])
  })
  test('an entry with secret and secretFile is refused', () => {
    expect(mistakesIn(withFile([{ ...ENTRY, secretFile: fileWith(OTHER_SECRET) }]))).toEqual([
      expect.stringContaining(`ENTRY_POINTS_FILE, entry 1: ${ONE_SECRET}`),
    ])
  })
  test('an entry with the name of an earlier entry is refused', () => {
    expect(mistakesIn(withFile([ENTRY, { ...ENTRY, secret: OTHER_SECRET }]))).toEqual([
      expect.stringContaining('ENTRY_POINTS_FILE, entry 2: name '),
    ])
  })
  test.each([
    ['does not exist', () => join(temporaryFolder(), 'none'), 'names a file that does not exist'],
    ['is a folder', () => temporaryFolder(), 'names a folder'],
    ['contains a weak secret', () => fileWith('weak\n'), 'names a file whose content is too short: '],
    ['is empty', () => fileWith('\n'), 'names a file whose content is too short: '],
  ])('an entry with a secretFile that %s is refused', (_name, path, end) => {
    const [mistake, ...others] = mistakesIn(withFile([{ ...without('secret'), secretFile: path() }]))
    expect(mistake?.slice(0, 39 + end.length)).toBe(`ENTRY_POINTS_FILE, entry 1: secretFile ${end}`)
    expect(others).toEqual([])
  })
})

describe('the mistakes in a file of entry points', () => {
  const wrong = [
    null,
    {},
    {
      name: 'news',
      secret: 'weak',
      playerReturnUrl: '/',
      playerOrigins: ['*', 'https://ok.example', '*'],
      lifetime: 1,
    },
    { ...ENTRY, secretFile: '/nowhere' },
    {},
  ]
  test('all mistakes in the file and in the settings are reported at once', () => {
    const subjects = mistakesIn(withFile(wrong, { PUBLIC_URL: 'nowhere', PORT: 'x' })).map((sentence) =>
      sentence.replace(/ (is|must|names|has|on)\b.*/, ''),
    )
    expect(subjects).toEqual([
      'PUBLIC_URL',
      'PORT',
      'ENTRY_POINTS_FILE, entry 1:',
      'ENTRY_POINTS_FILE, entry 2: name',
      'ENTRY_POINTS_FILE, entry 2: secret or secretFile',
      'ENTRY_POINTS_FILE, entry 2: playerReturnUrl',
      'ENTRY_POINTS_FILE, entry 2: playerOrigins',
      'ENTRY_POINTS_FILE, entry 3:',
      'ENTRY_POINTS_FILE, entry 3: secret',
      'ENTRY_POINTS_FILE, entry 3: playerReturnUrl',
      'ENTRY_POINTS_FILE, entry 3: playerOrigins: item 1',
      'ENTRY_POINTS_FILE, entry 3: playerOrigins: item 3',
      'ENTRY_POINTS_FILE, entry 4: name',
      'ENTRY_POINTS_FILE, entry 4: secret or secretFile',
      'ENTRY_POINTS_FILE, entry 5: name',
      'ENTRY_POINTS_FILE, entry 5: secret or secretFile',
      'ENTRY_POINTS_FILE, entry 5: playerReturnUrl',
      'ENTRY_POINTS_FILE, entry 5: playerOrigins',
    ])
  })
  test('no mistake repeats a value of the file, which may be a secret', () => {
    const marker = 'marked7RxK2mTz9LpWc4VbN8sYd|'
    const everywhere = {
      name: marker,
      secret: `${marker} `,
      secretFile: marker,
      playerReturnUrl: `https://ada:${marker}@player.example/`,
      playerOrigins: [marker, `https://${marker}@player.example`],
      hashConsumers: [`https://player.example/?${marker}`],
      hashParameters: [marker, `${marker}=a`],
      hashLifetimeSeconds: marker,
      allowedGroups: { marker },
    }
    for (const content of [[everywhere], [{ ...everywhere, more: marker }, marker], `[${marker}`, marker]) {
      const mistakes = mistakesIn(withFile(content)).join('\n')
      expect(mistakes).toMatch(/ENTRY_POINTS_FILE/)
      expect(mistakes).not.toContain('marked')
    }
    expect(mistakesIn(withFile([], { ENTRY_POINTS_FILE: JSON.stringify([everywhere]) })).join()).not.toContain('marked')
  })
})
