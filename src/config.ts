import { z } from 'zod'
import type { EntryPoint } from './entry-points/entry-point.ts'
import type { SharedSettings } from './entry-points/feature-settings.ts'
import { addressRules } from './entry-points/fields.ts'
import { entryPointNames, readEntryPointsFile } from './entry-points/from-file.ts'
import { entryPointSettings, readEntryPoint } from './entry-points/read-entry-point.ts'
import { warningsOfEntryPoints } from './entry-points/warnings.ts'
import { ConfigError } from './errors.ts'
import { features } from './features.ts'
import { type Environment, PortNumber, required, sentenceOf, wholeNumber } from './settings/fields.ts'
import { type GivenSettings, readGivenSettings, WrittenFile } from './settings/named-file.ts'
import { PublicUrl } from './settings/public-url.ts'
import { SECRET_MISSING, Secret } from './settings/secret.ts'
import { environmentSource, inEnvironment, metaOf, type Refuse, type Settings } from './settings/setting.ts'
import { lookAlikes } from './settings/unknown-settings.ts'
import { type AddressLimit, AddressLimitEnvironment } from './sign-in-limits/settings.ts'
import type { SharedStores } from './stores/store-list.ts'
import { stores as sharedStores } from './stores.ts'
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
  /** Words that a new password may not consist of. */
  readonly contextWords: readonly string[]
  /** The settings of features that all entry points share, by the name of the feature. Only the feature looks inside. */
  readonly features: Readonly<Record<string, unknown>>
  readonly trustProxyHops: number
  readonly shutdownDelaySeconds: number
  /** Null for none. */
  readonly securityLogFile: string | null
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** Sentences about valid settings that are usually a mistake. Logged at the start. */
  readonly warnings: readonly string[]
}

/** Where the app records what viewers do, and how long sessions last. */
type ActivitySettings = Pick<Config, 'securityLogFile'> & Pick<Config['sessions'], 'lifetimeSeconds' | 'idleSeconds'>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const DAY_SECONDS = 86_400
/** Node then accepts every certificate, also for addresses that have no setting with a CA. */
const NO_CERTIFICATE_CHECK =
  'NODE_TLS_REJECT_UNAUTHORIZED=0 accepts every certificate, so that anyone could pose as the video ' +
  'service. Remove it. For a CA of your own, set NODE_EXTRA_CA_CERTS'

const AppEnvironment = z.object({
  PORT: PortNumber.default(3000),
  HOST: z.string().default('0.0.0.0'),
  SESSION_SECRET: required(Secret, SECRET_MISSING).meta({ isSecret: true }),
  SESSION_SECRET_PREVIOUS: Secret.optional().meta({ isSecret: true }),
  SESSION_LIFETIME_SECONDS: wholeNumber(60, 30 * DAY_SECONDS).default(28_800),
  SESSION_IDLE_SECONDS: wholeNumber(60, 30 * DAY_SECONDS).default(14_400),
  SESSIONS_PER_VIEWER: wholeNumber(1, 100_000).default(20),
  CONTEXT_WORDS: ContextWords.default([]).meta({
    protects: "without it, new passwords may consist of the company's name",
  }),
  TRUST_PROXY_HOPS: wholeNumber(0, 20).default(0),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300).default(2),
  SECURITY_LOG_FILE: WrittenFile.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
})

const NO_EFFECT = 'The player gets another answer, so these settings have no effect'
const EntryPointsFile = z.string().optional().meta({ protects: 'without it, its allowed groups are not read' })

/** Returns the schemas of the settings that all entry points share, by name. */
export function appSettings(): Settings {
  return {
    PUBLIC_URL: PublicUrl,
    ...AppEnvironment.shape,
    ENTRY_POINTS_FILE: EntryPointsFile,
    ...userStores.settings,
    ...sharedStores.environment.in.shape,
    ...AddressLimitEnvironment.in.shape,
    ...Object.assign({}, ...features.map(({ shared }) => shared?.settings)),
  }
}

/** Returns the schemas of the settings of an entry point, by their names in the entry points file. */
export function entryPointFields(): Settings {
  return entryPointSettings(addressRules(null), features)
}

/** Returns the same schemas by their names in the environment. */
export function entryPointEnvironment(): Settings {
  return inEnvironment(entryPointFields())
}

/** Returns the names of all settings. A test compares them with the documentation. */
export function settingNames(): string[] {
  const all = Object.entries({ ...appSettings(), ...entryPointEnvironment() })
  return all.flatMap(([name, schema]) => (metaOf(schema).isSecret ? [name, `${name}_FILE`] : [name]))
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
  const stores = parse(sharedStores.environment, given)
  const addressLimit = parse(AddressLimitEnvironment, given)
  const ofFeatures = readFeatures(reading)
  if (given.NODE_TLS_REJECT_UNAUTHORIZED === '0') mistakes.push(NO_CERTIFICATE_CHECK)
  const entryPoints = readEntryPoints(reading, publicUrl)
  for (const { name, faultWith } of features) {
    const isOn = entryPoints.some((one) => name in one.features)
    const fault = isOn && userStore ? faultWith?.(userStore) : null
    if (fault) mistakes.push(fault)
  }
  if (!publicUrl || !app || !userStore || !stores || !addressLimit || mistakes.length > 0) {
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
    features: ofFeatures,
    contextWords: readContextWords(environment),
    trustProxyHops: app.TRUST_PROXY_HOPS,
    shutdownDelaySeconds: app.SHUTDOWN_DELAY_SECONDS,
    securityLogFile: app.SECURITY_LOG_FILE ?? null,
    logLevel: app.LOG_LEVEL,
  }
  return {
    ...config,
    warnings: [
      ...warnings,
      ...warningsOfEntryPoints(entryPoints, features, config.sessions),
      ...sharedStores.warnings(stores),
    ],
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
  if (!publicUrl || reading.mistakes.length > 0) throw mistakesIn(reading)
  return { publicUrl, entryPoints }
}

/** Reads only the shared stores: commands that unlock a viewer or end sessions need no other setting. */
export function readSharedStores(environment: Environment): SharedStores {
  return readPart(sharedStores.environment, environment, sharedStores.environment.in.shape)
}

/** Reads only the security log and the limits of sessions, for commands that show what viewers did. */
export function readActivitySettings(environment: Environment): ActivitySettings {
  const fields = { SESSION_LIFETIME_SECONDS: true, SESSION_IDLE_SECONDS: true, SECURITY_LOG_FILE: true } as const
  const schema = AppEnvironment.pick(fields)
  const app = readPart(schema, environment, schema.shape)
  return {
    lifetimeSeconds: app.SESSION_LIFETIME_SECONDS,
    idleSeconds: app.SESSION_IDLE_SECONDS,
    securityLogFile: app.SECURITY_LOG_FILE ?? null,
  }
}

/**
 * Reads only the shared settings of one feature and the address of this app: its commands need no secret of the app.
 * @throws ConfigError that lists all mistakes in this part, one per line.
 */
export function readFeatureSettings<T>(environment: Environment, { settings, schema }: SharedSettings<T>) {
  const all = { PUBLIC_URL: PublicUrl, ...settings }
  const { PUBLIC_URL: publicUrl } = readPart(z.object({ PUBLIC_URL: PublicUrl }), environment, all)
  return { publicUrl, settings: readPart(schema, environment, all) }
}

/** Reads only the user store: commands that change viewers need no other setting. */
export function readUserStore(environment: Environment): StoreSettings {
  return readPart(userStores.environment, environment, userStores.settings)
}

/**
 * Reads the words that a new password may not consist of: CONTEXT_WORDS, the host of PUBLIC_URL, BRAND_NAME and the
 * names of the entry points. Needs no secret.
 */
export function readContextWords(environment: Environment): string[] {
  const schema = AppEnvironment.pick({ CONTEXT_WORDS: true })
  const { CONTEXT_WORDS } = readPart(schema, environment, schema.shape)
  const { PUBLIC_URL = '', ENTRY_POINTS_FILE, BRAND_NAME } = environment
  return [
    ...CONTEXT_WORDS,
    ...wordsOfHost(PUBLIC_URL),
    ...(BRAND_NAME ? [BRAND_NAME] : []),
    ...(ENTRY_POINTS_FILE ? entryPointNames(ENTRY_POINTS_FILE) : []),
  ]
}

/**
 * Reads a part of the settings, and only the files of the secrets in this part.
 * @throws ConfigError that lists all mistakes in this part, one per line.
 */
function readPart<T>(schema: z.ZodType<T>, environment: Environment, settings: Settings): T {
  const { given, mistakes, warnings, parse } = startReading(environment, settings)
  const part = parse(schema, given)
  if (part === null || mistakes.length > 0) throw new ConfigError([...mistakes, ...warnings].join('\n'))
  return part
}

interface Reading extends Pick<GivenSettings, 'given'> {
  readonly mistakes: string[]
  readonly warnings: string[]
  /** Null if the value is wrong; its mistakes are then in `mistakes`. */
  readonly parse: <T>(schema: z.ZodType<T>, value: unknown, name?: string) => T | null
  /** Reports a mistake in a setting. */
  readonly refuse: Refuse
}

/**
 * Finds look-alikes of settings. A look-alike of a missing protective setting is a mistake, which stops the start. Any
 * other is a warning, since it may belong to another program.
 */
function unknownSettings(given: Environment, all: Settings): { mistakes: string[]; warnings: string[] } {
  const mistakes: string[] = []
  const warnings: string[] = []
  for (const { setting, sentence } of lookAlikes(Object.keys(given), settingNames())) {
    const name = setting in all ? setting : setting.replace(/_FILE$/, '')
    const isMissing = metaOf(all[name]).protects !== undefined && given[name] === undefined
    const sentences = isMissing ? mistakes : warnings
    sentences.push(sentence)
  }
  return { mistakes, warnings }
}

/** @param settings whose files are read, if they are secrets. Default: all. */
function startReading(environment: Environment, settings?: Settings): Reading {
  const all = { ...appSettings(), ...entryPointEnvironment() }
  const secrets = Object.entries(settings ?? all).flatMap(([name, schema]) => (metaOf(schema).isSecret ? [name] : []))
  const { given, unreadable, mistakes: faults } = readGivenSettings(environment, secrets)
  const unknown = unknownSettings(given, all)
  const mistakes = [...faults, ...unknown.mistakes]
  const refuse: Refuse = (name, message) => {
    if (!unreadable.includes(name)) mistakes.push(sentenceOf([name], message))
  }
  return {
    given,
    mistakes,
    warnings: unknown.warnings,
    refuse,
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

/** Reads the settings of features that all entry points share. */
function readFeatures({ given, parse }: Reading): Config['features'] {
  const read = features.flatMap(({ name, shared }) => (shared ? [[name, parse(shared.schema, given)]] : []))
  return Object.fromEntries(read)
}

function readEntryPoints(reading: Reading, publicUrl: URL | null): readonly EntryPoint[] {
  const { given, mistakes, warnings, refuse } = reading
  const rules = addressRules(publicUrl)
  const settings = entryPointSettings(rules, features)
  if (given.ENTRY_POINTS_FILE === undefined) {
    const unused: string[] = []
    const source = environmentSource(given, settings, refuse, (names) => void unused.push(...names))
    const entryPoint = readEntryPoint(source, 'default', rules, features)
    if (unused.length > 0 && mistakes.length === 0) warnings.push(`${NO_EFFECT}: ${unused.join(', ')}.`)
    return [entryPoint]
  }
  const names = Object.keys(entryPointEnvironment()).filter((name) => given[name] !== undefined)
  if (names.length > 0) {
    const asGiven = names.map((name) => (given[`${name}_FILE`] === undefined ? name : `${name}_FILE`))
    mistakes.push(`ENTRY_POINTS_FILE is set and replaces ${asGiven.join(', ')}: remove one or the other`)
  }
  const read = readEntryPointsFile(given.ENTRY_POINTS_FILE, rules, features)
  if ('entryPoints' in read) return read.entryPoints
  mistakes.push(...read.mistakes)
  return []
}
