import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { EntryPoint } from './entry-points/entry-point.ts'
import {
  LONGEST_LIFETIME_SECONDS,
  ORIGINS_MISSING,
  RETURN_URL_MISSING,
  readEntryPointsFile,
} from './entry-points/from-file.ts'
import {
  AllowedGroups,
  addressFields,
  HashParameters,
  PublicUrl,
  readNamedFile,
  required,
  SECRET_MISSING,
  Secret,
  sentenceOf,
} from './entry-points/setting-fields.ts'
import { ConfigError } from './errors.ts'
import { type SharedStores, SharedStoresEnvironment, warningsOfStores } from './redis/settings.ts'
import { PortNumber, wholeNumber } from './settings/fields.ts'
import { lookAlikes } from './settings/unknown-settings.ts'
import { userStores } from './users/open-user-store.ts'
import type { StoreSettings } from './users/user-store-kind.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Config extends SharedStores {
  readonly publicUrl: URL
  readonly host: string
  readonly port: number
  readonly entryPoints: readonly EntryPoint[]
  readonly userStore: StoreSettings
  readonly sessions: {
    readonly secrets: readonly string[]
    readonly lifetimeSeconds: number
    readonly idleSeconds: number
  }
  readonly trustProxyHops: number
  readonly shutdownDelaySeconds: number
  /** Null where no metrics are wanted. */
  readonly metricsPort: number | null
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** Sentences about settings that are valid but usually a mistake: logged at the start. */
  readonly warnings: readonly string[]
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** Each also comes as NAME_FILE, the path of a file that holds it. */
const SECRETS: readonly string[] = [
  'HASH_SECRET',
  'SESSION_SECRET',
  'USER_STORE_URL',
  'SESSION_STORE_URL',
  'LIMITS_STORE_URL',
  'POSTGRES_PASSWORD',
  'LDAP_BIND_PASSWORD',
  'HTTP_STORE_TOKEN',
]
/**
 * Settings whose absence lets more viewers in or leaves a weaker default. A look-alike of a missing one stops the start;
 * any other look-alike is a warning, since it may belong to another program.
 */
const GUARDS: readonly string[] = [
  'ALLOWED_GROUPS', // every viewer may watch
  'ENTRY_POINTS_FILE', // its allowed groups are not read
  'USER_STORE_URL', // viewers of another store may watch
  'POSTGRES_QUERY', // viewers of another table may watch
  'LDAP_USER_FILTER', // every account below the search base may watch
  'LDAP_GROUP_BASE', // groups from elsewhere in the directory count
  'LDAP_GROUP_FILTER', // more groups count
  'HTTP_STORE_FIND_URL', // removed viewers keep their sessions
  'POSTGRES_CA_FILE', // a connection to localhost is not encrypted
  'SESSION_STORE_URL', // `sessions end` ends no session of the app
  'LIMITS_STORE_URL', // each copy of the app allows as many failed sign-ins
  'REDIS_KEY_PREFIX', // another app shares the sessions
]
const DAY_SECONDS = 86_400
const PUBLIC_URL_MISSING = 'is required: the address of this app as browsers see it, such as https://login.example.com'

function appSettings() {
  return z.object({
    PORT: PortNumber.default(3000),
    HOST: z.string().default('0.0.0.0'),
    SESSION_SECRET: required(Secret, SECRET_MISSING),
    SESSION_LIFETIME_SECONDS: wholeNumber(60, 30 * DAY_SECONDS).default(28_800),
    SESSION_IDLE_SECONDS: wholeNumber(60, 30 * DAY_SECONDS).default(14_400),
    TRUST_PROXY_HOPS: wholeNumber(0, 20).default(0),
    SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300).default(2),
    METRICS_PORT: PortNumber.optional(),
    LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  })
}

function entryPointSettings(addresses: ReturnType<typeof addressFields>) {
  return z.object({
    HASH_SECRET: required(Secret, SECRET_MISSING),
    HASH_PARAMETERS: HashParameters.default([{ name: 'user', attribute: 'username' }]),
    HASH_LIFETIME_SECONDS: wholeNumber(0, LONGEST_LIFETIME_SECONDS).default(3600),
    PLAYER_RETURN_URL: required(addresses.playerAddress, RETURN_URL_MISSING),
    PLAYER_ORIGINS: required(addresses.playerOrigins, ORIGINS_MISSING),
    HASH_CONSUMERS: addresses.consumers.default([]),
    ALLOWED_GROUPS: AllowedGroups.optional(),
  })
}

/** The name of every setting: .env.example and the README say of each what it means. */
export function settingNames(): string[] {
  const { PORT: _port, HOST: _host, ...rest } = appSettings().shape
  const entryPoint = Object.keys(entryPointSettings(addressFields(null)).shape)
  const names = [
    'PUBLIC_URL',
    'PORT',
    'HOST',
    ...entryPoint,
    'ENTRY_POINTS_FILE',
    'USER_STORE_URL',
    ...userStores.settingNames,
    ...Object.keys(SharedStoresEnvironment.in.shape),
    ...Object.keys(rest),
  ]
  return names.flatMap((name) => (SECRETS.includes(name) ? [name, `${name}_FILE`] : [name]))
}

/**
 * Reads the settings of the login app. An empty setting is an absent one.
 * @throws ConfigError with a line for every mistake: none has to be found after another was mended.
 */
export function readConfig(environment: Environment): Config {
  const mistakes: string[] = []
  const given = givenSettings(environment, mistakes)
  const unknown = unknownSettings(given)
  mistakes.push(...unknown.mistakes)
  const parse = <T>(schema: z.ZodType<T>, value: unknown, name = ''): T | null => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    for (const { path, message } of parsed.error.issues) mistakes.push(sentenceOf(name ? [name] : path, message))
    return null
  }
  const publicUrl = parse(required(PublicUrl, PUBLIC_URL_MISSING), given.PUBLIC_URL, 'PUBLIC_URL')
  const app = parse(appSettings(), given)
  const userStore = parse(userStores.environment, given)
  const stores = parse(SharedStoresEnvironment, given)
  if (app && app.PORT !== 0 && app.METRICS_PORT === app.PORT) {
    mistakes.push(`METRICS_PORT must be another port than PORT, which is ${app.PORT}`)
  }
  const entryPoints = readEntryPoints(given, addressFields(publicUrl), parse, mistakes)
  if (!publicUrl || !app || !userStore || !stores || !entryPoints || mistakes.length > 0) {
    // A warning may explain why a setting is missing.
    const lines = [...mistakes, ...unknown.warnings].map((mistake) => `  ${mistake}`)
    throw new ConfigError(`These settings are missing or wrong:\n${lines.join('\n')}`)
  }
  const config = {
    publicUrl,
    host: app.HOST,
    port: app.PORT,
    entryPoints,
    userStore,
    ...stores,
    sessions: {
      secrets: [app.SESSION_SECRET],
      lifetimeSeconds: app.SESSION_LIFETIME_SECONDS,
      idleSeconds: app.SESSION_IDLE_SECONDS,
    },
    trustProxyHops: app.TRUST_PROXY_HOPS,
    shutdownDelaySeconds: app.SHUTDOWN_DELAY_SECONDS,
    metricsPort: app.METRICS_PORT ?? null,
    logLevel: app.LOG_LEVEL,
  }
  return { ...config, warnings: [...unknown.warnings, ...warningsOf(config), ...warningsOfStores(stores)] }
}

/** The look-alikes of settings: those that stop the start, and the others. */
function unknownSettings(given: Environment): { mistakes: string[]; warnings: string[] } {
  const mistakes: string[] = []
  const warnings: string[] = []
  for (const { setting, sentence } of lookAlikes(Object.keys(given), settingNames())) {
    const name = SECRETS.find((secret) => setting === `${secret}_FILE`) ?? setting
    const isMissing = GUARDS.includes(name) && given[name] === undefined
    const sentences = isMissing ? mistakes : warnings
    sentences.push(sentence)
  }
  return { mistakes, warnings }
}

type Parse = <T>(schema: z.ZodType<T>, value: unknown, name?: string) => T | null

function readEntryPoints(
  given: Environment,
  addresses: ReturnType<typeof addressFields>,
  parse: Parse,
  mistakes: string[],
): EntryPoint[] | null {
  if (given.ENTRY_POINTS_FILE !== undefined) {
    const names = Object.keys(entryPointSettings(addresses).shape).filter((name) => given[name] !== undefined)
    if (names.length > 0) {
      const asGiven = names.map((name) => (given[`${name}_FILE`] === undefined ? name : `${name}_FILE`))
      mistakes.push(`ENTRY_POINTS_FILE is set, so every entry point comes from it: remove ${asGiven.join(', ')}`)
    }
    const read = readEntryPointsFile(given.ENTRY_POINTS_FILE, addresses)
    if ('entryPoints' in read) return read.entryPoints
    mistakes.push(...read.mistakes)
    return null
  }
  const settings = parse(entryPointSettings(addresses), given)
  if (settings === null) return null
  return [
    {
      name: 'default',
      basePath: '',
      secret: settings.HASH_SECRET,
      parameters: settings.HASH_PARAMETERS,
      lifetimeSeconds: settings.HASH_LIFETIME_SECONDS,
      playerAddress: settings.PLAYER_RETURN_URL,
      playerOrigins: settings.PLAYER_ORIGINS,
      consumers: settings.HASH_CONSUMERS,
      allowedGroups: settings.ALLOWED_GROUPS ?? null,
    },
  ]
}

function warningsOf({ entryPoints, sessions }: Pick<Config, 'entryPoints' | 'sessions'>): string[] {
  const warnings: string[] = []
  for (const { name, lifetimeSeconds } of entryPoints) {
    if (lifetimeSeconds === 0) {
      warnings.push(
        `Entry point ${name}: the lifetime is 0, so a response is good for ever, for whoever gets hold of it.`,
      )
    }
    if (lifetimeSeconds > Math.min(sessions.idleSeconds, sessions.lifetimeSeconds)) {
      warnings.push(
        `Entry point ${name}: a response lives longer than a session without a visit, so every viewer has to sign in ` +
          'again when it expires; raise SESSION_IDLE_SECONDS and SESSION_LIFETIME_SECONDS, or lower its lifetime.',
      )
    }
  }
  if (new Set(entryPoints.map(({ secret }) => secret)).size < entryPoints.length) {
    warnings.push('Two entry points share a secret: a response for one is good for the other.')
  }
  if (entryPoints.some(({ secret }) => sessions.secrets.includes(secret))) {
    warnings.push('SESSION_SECRET is also shared with the video service: give this app a secret that it alone knows.')
  }
  return warnings
}

/** Without the login app's other settings, which who unlocks a viewer or signs one out need not have. */
export function readSharedStores(environment: Environment): SharedStores {
  return readPart(SharedStoresEnvironment, environment)
}

/** The same for who looks after the viewers. */
export function readUserStore(environment: Environment): StoreSettings {
  return readPart(userStores.environment, environment)
}

/** @throws ConfigError with a line for every mistake in this part. */
function readPart<T>(schema: z.ZodType<T>, environment: Environment): T {
  const mistakes: string[] = []
  const given = givenSettings(environment, mistakes)
  const unknown = unknownSettings(given)
  mistakes.push(...unknown.mistakes)
  const parsed = schema.safeParse(given)
  if (!parsed.success) mistakes.push(...parsed.error.issues.map(({ path, message }) => sentenceOf(path, message)))
  if (parsed.success && mistakes.length === 0) return parsed.data
  throw new ConfigError([...mistakes, ...unknown.warnings].join('\n'))
}

/**
 * The settings that are there, an empty one being absent, with what is in the file of NAME_FILE in the place of NAME.
 * @param mistakes takes a sentence for each file that cannot be used; its setting then holds what nothing may start with.
 */
function givenSettings(environment: Environment, mistakes: string[]): Record<string, string | undefined> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  for (const name of SECRETS) {
    const file = given[`${name}_FILE`]
    if (file === undefined) continue
    if (given[name] !== undefined) mistakes.push(`${name} and ${name}_FILE are both set: remove one`)
    const read = readNamedFile(file)
    const text = 'text' in read ? read.text.trim() : ''
    const fault = 'fault' in read ? read.fault : text === '' ? 'names an empty file' : null
    if (fault !== null) mistakes.push(`${name}_FILE ${fault}`)
    // What stands in for it only keeps one mistake from being reported as two.
    given[name] = fault === null ? text : name.endsWith('_URL') ? undefined : randomUUID()
  }
  return given
}
