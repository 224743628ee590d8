const LOW = ['src/errors.ts', 'src/settings', 'src/server']
const BELOW_LOGIN = [
  ...LOW,
  ...[
    'src/hash-lock',
    'src/features/token/viewer-token',
    'src/languages',
    'src/brand',
    'src/features/sso/settings',
    'src/entry-points',
  ],
  ...['src/users', 'src/sessions', 'src/sign-in-limits', 'src/features/token/issuer'],
]
const WINDOWS = ['src/features/window', 'src/features/sso', 'src/features/passkeys']
const ROOMS_OF_APP = [
  ...BELOW_LOGIN,
  ...WINDOWS,
  'src/features/account/mail',
  'src/stores',
  'src/stores.ts',
  'src/login',
  'src/features/account',
  'src/config.ts',
]

/** The rooms of src in the order of the map in src/README.md, and the other rooms that each may import. */
export const WALLS: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': [...ROOMS_OF_APP, 'src/login-app.ts'],
  'src/login-app.ts': [...ROOMS_OF_APP, 'src/app.ts'],
  'src/app.ts': ROOMS_OF_APP,
  'src/config.ts': [
    ...['src/errors.ts', 'src/settings', 'src/hash-lock', 'src/features/token/viewer-token', 'src/entry-points'],
    ...['src/features/account/mail', 'src/stores', 'src/stores.ts', 'src/users', 'src/sign-in-limits'],
  ],
  'src/features/sso': [...BELOW_LOGIN, 'src/features/window', 'src/login'],
  'src/features/sso/settings': ['src/errors.ts', 'src/settings'],
  'src/features/passkeys': [...BELOW_LOGIN, 'src/features/window', 'src/login', 'src/features/account'],
  'src/features/account': [...BELOW_LOGIN, 'src/features/account/mail', 'src/login'],
  'src/features/account/mail': ['src/errors.ts', 'src/settings'],
  'src/features/token': ['src/errors.ts', 'src/settings', 'src/features/token/viewer-token'],
  'src/features/token/issuer': [...LOW, 'src/features/token/viewer-token', 'src/entry-points', 'src/users'],
  'src/features/token/viewer-token': ['src/errors.ts'],
  'src/features/window': [...BELOW_LOGIN, 'src/stores', 'src/stores.ts', 'src/login'],
  'src/login': BELOW_LOGIN,
  'src/stores.ts': ['src/stores', 'src/redis'],
  'src/redis': [...LOW, 'src/stores', 'src/sessions', 'src/sign-in-limits', 'src/users'],
  'src/stores': [...LOW, 'src/sessions', 'src/sign-in-limits'],
  'src/sessions': [...LOW, 'src/users'],
  'src/sign-in-limits': [...LOW, 'src/users'],
  'src/users': [...LOW, 'src/hash-lock'],
  'src/entry-points': [
    ...[
      'src/errors.ts',
      'src/settings',
      'src/hash-lock',
      'src/features/token',
      'src/features/token/viewer-token',
      'src/languages',
      'src/brand',
    ],
    'src/features/sso/settings',
  ],
  'src/brand': ['src/errors.ts', 'src/settings', 'src/languages'],
  'src/languages': ['src/errors.ts'],
  'src/hash-lock': ['src/errors.ts'],
  'src/settings': ['src/errors.ts'],
  'src/server': ['src/errors.ts'],
  'src/errors.ts': [],
  'src/tools/video-service': ['src/errors.ts', 'src/settings', 'src/hash-lock', 'src/features/token/viewer-token'],
  'src/tools/cli': [
    ...BELOW_LOGIN,
    'src/features/account/mail',
    'src/features/sso',
    'src/features/account',
    'src/stores.ts',
    'src/config.ts',
    'src/tools/video-service',
  ],
  'src/tools/emulator': [...LOW, 'src/hash-lock', 'src/features/token/viewer-token'],
}

/** The tests that need the emulator. No other test imports the emulator. */
export const EMULATOR_TESTS: readonly string[] = ['test/tools/emulator/', 'test/with-emulator/']
