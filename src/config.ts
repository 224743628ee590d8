import { z } from 'zod'
import type { EntryPoint } from './entry-points/entry-point.ts'
import { addressFields } from './entry-points/fields.ts'
import { ENTRY_POINT_SETTINGS, entryPointEnvironment, warningsOfUnused } from './entry-points/from-environment.ts'
import { entryPointNames, readEntryPointsFile } from './entry-points/from-file.ts'
import { warningsOfEntryPoints } from './entry-points/warnings.ts'
import { ConfigError } from './errors.ts'
import { MailEnvironment, type MailSettings } from './features/account/mail/settings.ts'
import { type SharedStores, SharedStoresEnvironment, warningsOfStores } from './redis/settings.ts'
import { type Environment, PortNumber, required, sentenceOf, wholeNumber } from './settings/fields.ts'
import { type GivenSettings, readGivenSettings, WrittenFile } from './settings/named-file.ts'
import { PublicUrl } from './settings/public-url.ts'
import { SECRET_MISSING, Secret } from './settings/secret.ts'
import { lookAlikes } from './settings/unknown-settings.ts'
import { type AddressLimit, AddressLimitEnvironment } from './sign-in-limits/settings.ts'
import { userStores } from './users/open-user-store.ts'
import { ContextWords, wordsOfHost } from './users/passwords/context-words.ts'
import type { StoreSettings } from './users/user-store-kind.ts'

export interface Config extends SharedStores {
  readonly publicUrl: URL
  readonly host: string
  readonly port: number
  readonly entryPoints: readonly EntryPoint[]
  readonly userStore: StoreSettings
  readonly sessions: {
    /** The first signs cookies; all are accepted. */
    readonly secrets: readonly string[]
    readonly lifetimeSeconds: number
    readonly idleSeconds: number
    readonly mostPerViewer: number
  }
  readonly addressLimit: AddressLimit
  readonly mail: MailSettings
  /** Words that a new password may not consist of. */
  readonly contextWords: readonly string[]
  readonly trustProxyHops: number
  readonly shutdownDelaySeconds: number
  /** Null for no metrics. */
  readonly metricsPort: number | null
  /** Null for none. */
  readonly securityLogFile: string | null
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** Sentences about valid settings that are usually a mistake. Logged at the start. */
  readonly warnings: readonly string[]
}

/** Where the app records what viewers do, and how long sessions last. */
type ActivitySettings = Pick<Config, 'securityLogFile'> & Pick<Config['sessions'], 'lifetimeSeconds' | 'idleSeconds'>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** Each may also be given as NAME_FILE, the path of a file that contains it. */
const SECRETS: readonly string[] = [
  'HASH_SECRET',
  'HASH_SECRET_PREVIOUS',
  'CONTENT_KEY',
  'SESSION_SECRET',
  'SESSION_SECRET_PREVIOUS',
  'USER_STORE_URL',
  'SESSION_STORE_URL',
  'LIMITS_STORE_URL',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'POSTGRES_PASSWORD',
  'LDAP_BIND_PASSWORD',
  'HTTP_STORE_TOKEN',
]
/**
 * Settings whose absence lets in more viewers or leaves a weaker default. A look-alike of a missing one stops
 * the start. Any other look-alike is a warning, since it may belong to another program.
 */
const PROTECTIVE_SETTINGS: readonly string[] = [
  'ALLOWED_GROUPS', // every viewer may watch
  'CONTEXT_WORDS', // new passwords may consist of the company's name
  'ENTRY_POINTS_FILE', // its allowed groups are not read
  'OIDC_TENANTS', // people of other organisations may watch
  'RETURNING_VIEWERS', // the next person at a device passes as the last viewer
  'USER_STORE_URL', // viewers of another store may watch
  'POSTGRES_QUERY', // viewers of another table may watch
  'LDAP_USER_FILTER', // every account below the search base may watch
  'LDAP_GROUP_BASE', // groups from elsewhere in the directory count
  'LDAP_GROUP_FILTER', // more groups count
  'HTTP_STORE_FIND_URL', // removed viewers keep their sessions
  'POSTGRES_CA_FILE', // a connection to localhost is not encrypted
  'SMTP_CA_FILE', // a connection to localhost is not encrypted
  'SESSION_STORE_URL', // `sessions end` ends no session of the app
  'LIMITS_STORE_URL', // each copy of the app allows as many failed sign-ins
  'REDIS_KEY_PREFIX', // another app shares the sessions
]
const DAY_SECONDS = 86_400
const NO_PASSKEYS =
  'PASSKEYS needs viewers in SQLite, or in the PostgreSQL table of this app: the store of USER_STORE_URL keeps no passkeys'
/** Node then accepts every certificate, also for addresses that have no setting with a CA. */
const NO_CERTIFICATE_CHECK =
  'NODE_TLS_REJECT_UNAUTHORIZED=0 accepts every certificate, so that anyone could pose as the identity provider or the ' +
  'service. Remove it. For a CA of your own, set NODE_EXTRA_CA_CERTS'

const AppEnvironment = z.object({
  PORT: PortNumber.default(3000),
  HOST: z.string().default('0.0.0.0'),
  SESSION_SECRET: required(Secret, SECRET_MISSING),
  SESSION_SECRET_PREVIOUS: Secret.optional(),
  SESSION_LIFETIME_SECONDS: wholeNumber(60, 30 * DAY_SECONDS).default(28_800),
  SESSION_IDLE_SECONDS: wholeNumber(60, 30 * DAY_SECONDS).default(14_400),
  SESSIONS_PER_VIEWER: wholeNumber(1, 100_000).default(20),
  CONTEXT_WORDS: ContextWords.default([]),
  TRUST_PROXY_HOPS: wholeNumber(0, 20).default(0),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300).default(2),
  METRICS_PORT: PortNumber.optional(),
  SECURITY_LOG_FILE: WrittenFile.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
})

/** Returns the names of all settings. A test compares them with the documentation. */
export function settingNames(): string[] {
  const { PORT: _port, HOST: _host, ...rest } = AppEnvironment.shape
  const names = [
    'PUBLIC_URL',
    'PORT',
    'HOST',
    ...ENTRY_POINT_SETTINGS,
    'ENTRY_POINTS_FILE',
    'USER_STORE_URL',
    ...userStores.settingNames,
    ...Object.keys(SharedStoresEnvironment.in.shape),
    ...Object.keys(AddressLimitEnvironment.in.shape),
    ...Object.keys(MailEnvironment.in.shape),
    ...Object.keys(rest),
  ]
  return names.flatMap((name) => (SECRETS.includes(name) ? [name, `${name}_FILE`] : [name]))
}

/**
 * Reads the settings of the login app. An empty setting counts as missing.
 * @throws ConfigError that lists all mistakes at once, one per line.
 */
export function readConfig(environment: Environment): Config {
  const reading = startReading(environment)
  const { given, mistakes, warnings, parse } = reading
  const publicUrl = readPublicUrl(reading)
  const app = parse(AppEnvironment, given)
  const userStore = parse(userStores.environment, given)
  const stores = parse(SharedStoresEnvironment, given)
  const addressLimit = parse(AddressLimitEnvironment, given)
  const mail = parse(MailEnvironment, given)
  if (app && app.PORT !== 0 && app.METRICS_PORT === app.PORT) {
    mistakes.push(`METRICS_PORT must differ from PORT, which is ${app.PORT}`)
  }
  if (given.NODE_TLS_REJECT_UNAUTHORIZED === '0') mistakes.push(NO_CERTIFICATE_CHECK)
  const entryPoints = readEntryPoints(reading, publicUrl)
  const hasPasskeys = entryPoints?.some((one) => one.hasPasskeys) ?? false
  if (hasPasskeys && userStore && !userStores.keepsPasskeys(userStore)) mistakes.push(NO_PASSKEYS)
  if (!publicUrl || !app || !userStore || !stores || !addressLimit || !mail || !entryPoints || mistakes.length > 0) {
    throw mistakesIn(reading)
  }
  const config = {
    publicUrl,
    host: app.HOST,
    port: app.PORT,
    entryPoints,
    userStore,
    ...stores,
    sessions: {
      secrets: [app.SESSION_SECRET, ...(app.SESSION_SECRET_PREVIOUS ? [app.SESSION_SECRET_PREVIOUS] : [])],
      lifetimeSeconds: app.SESSION_LIFETIME_SECONDS,
      idleSeconds: app.SESSION_IDLE_SECONDS,
      mostPerViewer: app.SESSIONS_PER_VIEWER,
    },
    addressLimit,
    mail,
    contextWords: readContextWords(environment),
    trustProxyHops: app.TRUST_PROXY_HOPS,
    shutdownDelaySeconds: app.SHUTDOWN_DELAY_SECONDS,
    metricsPort: app.METRICS_PORT ?? null,
    securityLogFile: app.SECURITY_LOG_FILE ?? null,
    logLevel: app.LOG_LEVEL,
  }
  return {
    ...config,
    warnings: [...warnings, ...warningsOfEntryPoints(entryPoints, config.sessions), ...warningsOfStores(stores)],
  }
}

/**
 * Reads only the address of this app and its entry points: commands that set locks need no other setting.
 * @throws ConfigError that lists all mistakes at once, one per line.
 */
export function readEntryPointSettings(environment: Environment): Pick<Config, 'publicUrl' | 'entryPoints'> {
  const reading = startReading(environment)
  const publicUrl = readPublicUrl(reading)
  const entryPoints = readEntryPoints(reading, publicUrl)
  if (!publicUrl || !entryPoints || reading.mistakes.length > 0) throw mistakesIn(reading)
  return { publicUrl, entryPoints }
}

/** Reads only the shared stores: commands that unlock a viewer or end sessions need no other setting. */
export function readSharedStores(environment: Environment): SharedStores {
  return readPart(SharedStoresEnvironment, environment)
}

/** Reads only the security log and the limits of sessions, for commands that show what viewers did. */
export function readActivitySettings(environment: Environment): ActivitySettings {
  const fields = { SESSION_LIFETIME_SECONDS: true, SESSION_IDLE_SECONDS: true, SECURITY_LOG_FILE: true } as const
  const app = readPart(AppEnvironment.pick(fields), environment)
  return {
    lifetimeSeconds: app.SESSION_LIFETIME_SECONDS,
    idleSeconds: app.SESSION_IDLE_SECONDS,
    securityLogFile: app.SECURITY_LOG_FILE ?? null,
  }
}

/** Reads only the mail server and the address of this app: invitations need no secret of the app. */
export function readMailSettings(environment: Environment): MailSettings & { readonly publicUrl: URL } {
  const PublicUrlOnly = z.object({ PUBLIC_URL: PublicUrl })
  const { PUBLIC_URL: publicUrl } = readPart(PublicUrlOnly, environment)
  return { ...readPart(MailEnvironment, environment), publicUrl }
}

/** Reads only the user store: commands that change viewers need no other setting. */
export function readUserStore(environment: Environment): StoreSettings {
  return readPart(userStores.environment, environment)
}

/**
 * Reads the words that a new password may not consist of: CONTEXT_WORDS, the host of PUBLIC_URL, BRAND_NAME and the
 * names of the entry points. Needs no secret.
 */
export function readContextWords(environment: Environment): string[] {
  const { CONTEXT_WORDS } = readPart(AppEnvironment.pick({ CONTEXT_WORDS: true }), environment)
  const { PUBLIC_URL = '', ENTRY_POINTS_FILE, BRAND_NAME } = environment
  return [
    ...CONTEXT_WORDS,
    ...wordsOfHost(PUBLIC_URL),
    ...(BRAND_NAME ? [BRAND_NAME] : []),
    ...(ENTRY_POINTS_FILE ? entryPointNames(ENTRY_POINTS_FILE) : []),
  ]
}

/** @throws ConfigError that lists all mistakes in this part, one per line. */
function readPart<T>(schema: z.ZodType<T>, environment: Environment): T {
  const { given, mistakes, warnings, parse } = startReading(environment)
  const part = parse(schema, given)
  if (part === null || mistakes.length > 0) throw new ConfigError([...mistakes, ...warnings].join('\n'))
  return part
}

interface Reading extends Pick<GivenSettings, 'given'> {
  readonly mistakes: string[]
  readonly warnings: string[]
  /** Null if the value is wrong; its mistakes are then in `mistakes`. */
  readonly parse: <T>(schema: z.ZodType<T>, value: unknown, name?: string) => T | null
}

/** Finds look-alikes of settings. Those that stop the start are mistakes, all others are warnings. */
function unknownSettings(given: Environment): { mistakes: string[]; warnings: string[] } {
  const mistakes: string[] = []
  const warnings: string[] = []
  for (const { setting, sentence } of lookAlikes(Object.keys(given), settingNames())) {
    const name = SECRETS.find((secret) => setting === `${secret}_FILE`) ?? setting
    const isMissing = PROTECTIVE_SETTINGS.includes(name) && given[name] === undefined
    const sentences = isMissing ? mistakes : warnings
    sentences.push(sentence)
  }
  return { mistakes, warnings }
}

function startReading(environment: Environment): Reading {
  const { given, unreadable, mistakes: faults } = readGivenSettings(environment, SECRETS)
  const unknown = unknownSettings(given)
  const mistakes = [...faults, ...unknown.mistakes]
  return {
    given,
    mistakes,
    warnings: unknown.warnings,
    parse(schema, value, name) {
      const parsed = schema.safeParse(value)
      if (parsed.success) return parsed.data
      for (const { path, message } of parsed.error.issues) {
        if (!unreadable.includes(String(path[0]))) mistakes.push(sentenceOf(name ? [name] : path, message))
      }
      return null
    },
  }
}

function mistakesIn({ mistakes, warnings }: Reading): ConfigError {
  const lines = [...mistakes, ...warnings].map((line) => `  ${line}`)
  return new ConfigError(`These settings are missing or wrong:\n${lines.join('\n')}`)
}

function readPublicUrl({ given, parse }: Reading): URL | null {
  return parse(PublicUrl, given.PUBLIC_URL, 'PUBLIC_URL')
}

function readEntryPoints(
  { given, mistakes, warnings, parse }: Reading,
  publicUrl: URL | null,
): readonly EntryPoint[] | null {
  const addresses = addressFields(publicUrl)
  if (given.ENTRY_POINTS_FILE === undefined) {
    const entryPoint = parse(entryPointEnvironment(addresses, given), given)
    if (entryPoint !== null) warnings.push(...warningsOfUnused(given))
    return entryPoint && [entryPoint]
  }
  const names = ENTRY_POINT_SETTINGS.filter((name) => given[name] !== undefined)
  if (names.length > 0) {
    const asGiven = names.map((name) => (given[`${name}_FILE`] === undefined ? name : `${name}_FILE`))
    mistakes.push(`ENTRY_POINTS_FILE is set and replaces ${asGiven.join(', ')}: remove one or the other`)
  }
  const read = readEntryPointsFile(given.ENTRY_POINTS_FILE, addresses)
  if ('entryPoints' in read) return read.entryPoints
  mistakes.push(...read.mistakes)
  return null
}
