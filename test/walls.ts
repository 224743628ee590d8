const LOW = ['src/errors.ts', 'src/typed-text.ts', 'src/json-text.ts', 'src/settings', 'src/server', 'src/files']
const BELOW_LOGIN = [
  ...LOW,
  ...['src/hash-lock', 'src/languages', 'src/brand', 'src/entry-points'],
  ...['src/users', 'src/stores.ts', 'src/stores', 'src/sessions', 'src/sign-in-limits'],
]
const LOGIN = ['src/login', 'src/login/screens', 'src/login/answer', 'src/login/log', 'src/login/request']
const BELOW_FEATURES = [...BELOW_LOGIN, ...LOGIN]
/** The features. Tools may use them too. */
const FEATURES =
  'sso passkeys account account-end mail-sign-in registration password-form token doors screen-limit secret-files default-log access-codes'
    .split(' ')
    .map((name) => `src/features/${name}`)
/** What features share. A service is removed with the last feature that needs it. */
const servicesOf = (names: string) => names.split(' ').map((name) => `src/services/${name}`)
const SERVICES = servicesOf('window pass places watch-page event mail mail-code guests account-changes')

/** The rooms of the app that the command line uses. */
const FOR_TOOLS = [...BELOW_LOGIN, 'src/config.ts', 'src/tools/video-service', 'src/tools/cli']
const roomsOf = (names: string) => names.split(' ').map((name) => `src/tools/cli/${name}`)
const COMMANDS = roomsOf(
  'setup manager viewers audit response report drill backup support preview doctor service settings html-page security-log output terminal',
)

/** The rooms of src in the order of the map in src/README.md, and the other rooms that each may import. */
export const WALLS: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['src/login-app.ts', 'src/errors.ts', 'src/users'],
  'src/login-app.ts': [...BELOW_FEATURES, 'src/app.ts', 'src/config.ts', 'src/features.ts'],
  'src/app.ts': [...BELOW_FEATURES, 'src/config.ts'],
  'src/config.ts': [...BELOW_LOGIN, 'src/features.ts'],
  'src/features.ts': [
    ...FEATURES,
    'src/features/entry-points-file',
    'src/features/metrics',
    'src/features/shared-clock',
    'src/features/background',
    'src/features/first-way',
    'src/login',
  ],
  'src/features/sso': [...BELOW_FEATURES, ...servicesOf('window')],
  'src/features/passkeys': [...BELOW_FEATURES, ...servicesOf('window account-changes')],
  'src/features/account': [...BELOW_FEATURES, ...servicesOf('mail watch-page account-changes')],
  'src/features/token': BELOW_FEATURES,
  'src/features/doors': [...BELOW_FEATURES, ...servicesOf('event pass')],
  'src/features/account-end': BELOW_FEATURES,
  'src/features/screen-limit': [...BELOW_FEATURES, ...servicesOf('pass places')],
  'src/features/access-codes': [...BELOW_FEATURES, 'src/stores.ts', ...servicesOf('event guests places watch-page')],
  'src/features/entry-points-file': ['src/json-text.ts', 'src/files', 'src/settings', 'src/entry-points', 'src/login'],
  'src/features/secret-files': ['src/files', 'src/settings', 'src/entry-points', 'src/login', 'src/login/answer'],
  'src/features/metrics': BELOW_FEATURES,
  'src/features/default-log': ['src/login', 'src/server'],
  'src/features/shared-clock': ['src/login', 'src/server'],
  'src/features/background': ['src/brand', 'src/login', 'src/login/screens'],
  'src/features/first-way': ['src/errors.ts', 'src/login', 'src/login/screens'],
  'src/features/mail-sign-in': [...BELOW_FEATURES, ...servicesOf('mail-code guests')],
  'src/features/registration': [...BELOW_FEATURES, ...servicesOf('event guests mail mail-code pass watch-page')],
  'src/features/password-form': ['src/settings', 'src/login'],
  'src/services/window': BELOW_FEATURES,
  'src/services/pass': BELOW_FEATURES,
  'src/services/places': BELOW_FEATURES,
  'src/services/watch-page': ['src/errors.ts', 'src/settings', 'src/entry-points', 'src/login'],
  'src/services/event': ['src/brand', 'src/languages', 'src/entry-points', 'src/login', 'src/login/answer'],
  'src/services/mail': [...BELOW_FEATURES, ...servicesOf('watch-page')],
  'src/services/mail-code': [...BELOW_FEATURES, ...servicesOf('event guests mail pass')],
  'src/services/guests': BELOW_FEATURES,
  'src/services/account-changes': BELOW_FEATURES,
  'src/login': [...BELOW_LOGIN, 'src/login/screens', 'src/login/answer', 'src/login/log', 'src/login/request'],
  'src/login/screens': [...BELOW_LOGIN, 'src/login/answer', 'src/login/log', 'src/login/request'],
  'src/login/request': [...BELOW_LOGIN, 'src/login/answer'],
  'src/login/answer': BELOW_LOGIN,
  'src/login/log': BELOW_LOGIN,
  'src/stores.ts': ['src/stores', 'src/redis'],
  'src/redis': [...LOW, 'src/stores', 'src/sessions', 'src/sign-in-limits', 'src/users'],
  'src/stores': [...LOW, 'src/sessions', 'src/sign-in-limits'],
  'src/sessions': [...LOW, 'src/users'],
  'src/sign-in-limits': ['src/settings'],
  'src/users': [...LOW, 'src/hash-lock'],
  'src/entry-points': ['src/errors.ts', 'src/settings', 'src/hash-lock', 'src/languages', 'src/brand'],
  'src/brand': ['src/errors.ts', 'src/json-text.ts', 'src/settings', 'src/languages'],
  'src/languages': ['src/errors.ts'],
  'src/hash-lock': ['src/errors.ts', 'src/json-text.ts'],
  'src/settings': ['src/errors.ts'],
  'src/server': ['src/errors.ts', 'src/settings'],
  'src/files': ['src/errors.ts', 'src/typed-text.ts'],
  'src/typed-text.ts': [],
  'src/json-text.ts': ['src/errors.ts'],
  'src/errors.ts': [],
  'src/tools/video-service': [
    'src/errors.ts',
    'src/json-text.ts',
    'src/settings',
    'src/hash-lock',
    'src/features/token',
  ],
  'src/tools/features.ts': ['src/tools/tool-feature.ts'],
  'src/tools/tool-feature.ts': ['src/tools/cli', ...COMMANDS, 'src/tools/manager'],
  'src/tools/cli': [...FOR_TOOLS, 'src/features.ts', ...COMMANDS, 'src/tools/tool-feature.ts'],
  'src/tools/cli/main.ts': ['src/tools/cli', 'src/tools/features.ts', 'src/users', ...roomsOf('terminal')],
  'src/tools/cli/setup': [...FOR_TOOLS, 'src/tools/cli/main.ts', ...roomsOf('doctor service settings terminal')],
  'src/tools/cli/manager': [...FOR_TOOLS, ...roomsOf('settings security-log output terminal')],
  'src/tools/cli/viewers': [...FOR_TOOLS, ...roomsOf('settings security-log output terminal')],
  'src/tools/cli/audit': [...FOR_TOOLS, ...roomsOf('security-log output terminal')],
  'src/tools/cli/response': [...FOR_TOOLS, ...roomsOf('settings terminal')],
  'src/tools/cli/report': [...FOR_TOOLS, ...roomsOf('settings service html-page output terminal')],
  'src/tools/cli/drill': [...FOR_TOOLS, 'src/tools/mail-sink', ...roomsOf('settings html-page output terminal')],
  'src/tools/cli/backup': [...FOR_TOOLS, ...roomsOf('terminal')],
  'src/tools/cli/preview': [
    ...[...FOR_TOOLS, 'src/app.ts', 'src/features.ts', ...LOGIN],
    ...roomsOf('settings html-page terminal'),
  ],
  'src/tools/cli/support': [...FOR_TOOLS, ...roomsOf('doctor service settings security-log terminal')],
  'src/tools/cli/doctor': [...FOR_TOOLS, ...roomsOf('response service settings terminal')],
  'src/tools/cli/service': [...FOR_TOOLS, 'src/features/secret-files', ...roomsOf('settings output terminal')],
  'src/tools/cli/settings': [...FOR_TOOLS, ...roomsOf('security-log terminal')],
  'src/tools/cli/html-page': roomsOf('output'),
  'src/tools/cli/security-log': [...FOR_TOOLS, 'src/features.ts', 'src/login/log', ...roomsOf('terminal')],
  'src/tools/cli/output': [...FOR_TOOLS, ...roomsOf('terminal')],
  'src/tools/cli/terminal': [...LOW, 'src/users'],
  'src/tools/manager': [
    ...[...FOR_TOOLS, ...LOGIN],
    ...roomsOf('manager viewers security-log report service settings output terminal'),
  ],
  'src/tools/manager/main.ts': [
    'src/errors.ts',
    'src/users',
    'src/tools/manager',
    'src/tools/cli',
    'src/tools/features.ts',
  ],
  'src/tools/mail-sink': [],
  'src/tools/slim': [],
  'src/tools/emulator': [
    ...LOW,
    'src/sign-in-limits',
    'src/hash-lock',
    'src/languages',
    'src/users',
    'src/features/token',
    'src/tools/mail-sink',
  ],
}

/** The rooms that a feature of a fork may import. Such a feature has no row of its own. */
export const OWN_FEATURE: readonly string[] = [...BELOW_FEATURES, ...SERVICES]

/**
 * The rooms that the tools of a feature may import, besides those of the feature in the app. They have no rows of their
 * own. The tools of one feature never import those of another.
 */
export const FEATURE_TOOLS: readonly string[] = [
  ...[...OWN_FEATURE, 'src/config.ts', 'src/features.ts'],
  ...['src/tools/tool-feature.ts', 'src/tools/cli', ...COMMANDS],
  ...['src/tools/manager', 'src/tools/mail-sink', 'src/tools/video-service'],
]

/** The tests that need the emulator. No other test imports the emulator. */
export const EMULATOR_TESTS: readonly string[] = ['test/tools/emulator/', 'test/with-emulator/']
