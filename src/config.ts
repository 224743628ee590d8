import { z } from 'zod'
import type { EntryPoint } from './entry-points/entry-point.ts'
import type { NamedSource, SharedSettings } from './entry-points/feature-settings.ts'
import { addressRules } from './entry-points/fields.ts'
import { entryPointSettings, readEntryPoints } from './entry-points/read-entry-point.ts'
import { warningsOfEntryPoints } from './entry-points/warnings.ts'
import { ConfigError } from './errors.ts'
import { features, settingOwners } from './features.ts'
import { openNamedFile, type SecurityLogFile } from './server/log/log-files.ts'
import { type Environment, PortNumber, required, sentenceOf, wholeNumber } from './settings/fields.ts'
import { type GivenSettings, readGivenSettings, WrittenFile } from './settings/named-file.ts'
import { PublicUrl } from './settings/public-url.ts'
import { SECRET_MISSING, Secret } from './settings/secret.ts'
import { inEnvironment, metaOf, type Refuse, type Settings, settingSource } from './settings/setting.ts'
import { lookAlikes } from './settings/unknown-settings.ts'
import { type AddressLimit, AddressLimitEnvironment, type Network, NetworkList } from './sign-in-limits/settings.ts'
import type { SharedStores } from './stores/store-kind.ts'
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
  readonly trustedProxies: readonly Network[]
  readonly shutdownDelaySeconds: number
  /** Null for none. */
  readonly securityLog: SecurityLogFile | null
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** Sentences about valid settings that are usually a mistake. Logged at the start. */
  readonly warnings: readonly string[]
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const DAY_SECONDS = 86_400
/** Node then accepts every certificate, also for addresses that have no setting with a CA. */
const NO_CERTIFICATE_CHECK =
  'NODE_TLS_REJECT_UNAUTHORIZED=0 accepts every certificate, so that anyone could pose as the video ' +
  'service. Remove it. For a CA of your own, set NODE_EXTRA_CA_CERTS'

const PublicAddress = z.object({ PUBLIC_URL: PublicUrl })
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
  TRUSTED_PROXIES: NetworkList.meta({
    protects: 'without it, a client that reaches the port past the proxy can forge an address',
  }),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300).default(2),
  SECURITY_LOG_FILE: WrittenFile.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
})

/** Returns the schemas of the settings that all entry points share, by name. */
export function appSettings(): Settings {
  return {
    ...PublicAddress.shape,
    ...AppEnvironment.shape,
    ...userStores.settings,
    ...sharedStores.environment.in.shape,
    ...AddressLimitEnvironment.in.shape,
    ...Object.assign({}, ...settingOwners.map(({ shared }) => shared?.settings)),
  }
}

/** Returns the schemas of the settings of an entry point, by their names in the environment. */
export function entryPointEnvironment(): Settings {
  return inEnvironment(entryPointSettings(addressRules(null), settingOwners))
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
  const { given, mistakes, parse } = reading
  const publicUrl = parse(PublicAddress)?.PUBLIC_URL ?? null
  const app = parse(AppEnvironment)
  const userStore = parse(userStores.environment)
  const stores = parse(sharedStores.environment)
  const addressLimit = parse(AddressLimitEnvironment)
  const shared = settingOwners.flatMap(({ name, shared }) => (shared ? [[name, parse(shared.schema)]] : []))
  if (given.NODE_TLS_REJECT_UNAUTHORIZED === '0') mistakes.push(NO_CERTIFICATE_CHECK)
  const entryPoints = entryPointsIn(reading, publicUrl)
  if (userStore) mistakes.push(...faultsWith(userStore, entryPoints))
  if (!publicUrl || !app || !userStore || !stores || !addressLimit || mistakes.length > 0) {
    throw mistakesIn(reading)
  }
  const sessions = {
    secrets: [app.SESSION_SECRET, ...(app.SESSION_SECRET_PREVIOUS ? [app.SESSION_SECRET_PREVIOUS] : [])],
    lifetimeSeconds: app.SESSION_LIFETIME_SECONDS,
    idleSeconds: app.SESSION_IDLE_SECONDS,
    mostPerViewer: app.SESSIONS_PER_VIEWER,
  }
  return {
    publicUrl,
    host: app.HOST,
    port: app.PORT,
    entryPoints,
    userStore,
    ...stores,
    sessions,
    addressLimit,
    features: Object.fromEntries(shared),
    contextWords: readContextWords(environment),
    trustProxyHops: app.TRUST_PROXY_HOPS,
    trustedProxies: app.TRUSTED_PROXIES,
    shutdownDelaySeconds: app.SHUTDOWN_DELAY_SECONDS,
    securityLog: securityLogOf(app.SECURITY_LOG_FILE),
    logLevel: app.LOG_LEVEL,
    warnings: [
      ...reading.warnings,
      ...reading.unused,
      ...warningsOfEntryPoints(entryPoints, settingOwners, sessions),
      ...sharedStores.warnings(stores),
    ],
  }
}

/** Returns why features cannot be on with this user store. */
function faultsWith(userStore: StoreSettings, entryPoints: readonly EntryPoint[]): ReadonlySet<string> {
  const faults = features.flatMap(({ name, faultWith }) =>
    entryPoints.flatMap((one) => (name in one.features && faultWith?.(userStore, one.features[name], one)) || []),
  )
  return new Set(faults)
}

/**
 * Reads only the address of this app and its entry points: commands for locks and responses need no other setting or file.
 * @param again given to an app that runs: its user store, and the entry points that it has read before.
 * @throws ConfigError that lists all mistakes at once, one per line.
 */
export function readEntryPointSettings(
  environment: Environment,
  again?: Pick<Config, 'userStore' | 'entryPoints'>,
): Pick<Config, 'publicUrl' | 'entryPoints'> {
  const reading = startReading(environment, entryPointEnvironment())
  const publicUrl = reading.parse(PublicAddress)?.PUBLIC_URL ?? null
  const entryPoints = entryPointsIn(reading, publicUrl, again?.entryPoints)
  if (again) reading.mistakes.push(...faultsWith(again.userStore, entryPoints))
  if (!publicUrl || reading.mistakes.length > 0) throw mistakesIn(reading)
  return { publicUrl, entryPoints }
}

/** Reads only the shared stores: commands that unlock a viewer or end sessions need no other setting. */
export function readSharedStores(environment: Environment): SharedStores {
  return readPart(environment, sharedStores.environment, sharedStores.environment.in.shape)
}

/** Reads only the user store: commands that change viewers need no other setting. */
export function readUserStore(environment: Environment): StoreSettings {
  return readPart(environment, userStores.environment, userStores.settings)
}

/** Reads only the security log and the limits of sessions, for commands that show what viewers did. */
export function readActivitySettings(environment: Environment) {
  const fields = { SESSION_LIFETIME_SECONDS: true, SESSION_IDLE_SECONDS: true, SECURITY_LOG_FILE: true } as const
  const app = readPart(environment, AppEnvironment.pick(fields))
  return {
    lifetimeSeconds: app.SESSION_LIFETIME_SECONDS,
    idleSeconds: app.SESSION_IDLE_SECONDS,
    securityLogFile: securityLogOf(app.SECURITY_LOG_FILE)?.path ?? null,
  }
}

function securityLogOf(path: string | undefined): SecurityLogFile | null {
  if (path === undefined) return features.find(({ securityLog }) => securityLog)?.securityLog ?? null
  return path === 'off' ? null : { path, open: openNamedFile }
}

/** Reads only the shared settings of one feature and the address of this app: its commands need no secret of the app. */
export function readFeatureSettings<T>(environment: Environment, { settings, schema }: SharedSettings<T>) {
  const { PUBLIC_URL: publicUrl } = readPart(environment, PublicAddress)
  return { publicUrl, settings: readPart(environment, schema, settings) }
}

/** Returns the settings of each entry point, before they are read. To read them adds their mistakes to `mistakes`. */
export function entryPointSources(environment: Environment) {
  const reading = startReading(environment, entryPointEnvironment())
  const named = sourcesIn(reading, entryPointSettings(addressRules(null), settingOwners))
  const sources = Array.from(named, ({ name, open }) => ({ name, source: open() }))
  return { sources, mistakes: reading.mistakes }
}

/**
 * Reads the words that a new password may not consist of: CONTEXT_WORDS, the host of PUBLIC_URL, and the names and brands
 * of the entry points. Needs no secret.
 */
export function readContextWords(environment: Environment): string[] {
  const { CONTEXT_WORDS } = readPart(environment, AppEnvironment.pick({ CONTEXT_WORDS: true }))
  const { sources } = entryPointSources(environment)
  const names = sources.flatMap(({ name, source }) => [name === 'default' ? '' : name, source.given.BRAND_NAME ?? ''])
  return [...CONTEXT_WORDS, ...wordsOfHost(environment.PUBLIC_URL ?? ''), ...names.filter((name) => name !== '')]
}

/**
 * Reads a part of the settings, and only the files of the secrets in this part.
 * @throws ConfigError that lists all mistakes in this part, one per line.
 */
function readPart<T>(environment: Environment, schema: z.ZodType<T>, settings: Settings = {}): T {
  const { mistakes, warnings, parse } = startReading(environment, settings)
  const part = parse(schema)
  if (part === null || mistakes.length > 0) throw new ConfigError([...mistakes, ...warnings].join('\n'))
  return part
}

interface Reading extends Pick<GivenSettings, 'given'> {
  readonly mistakes: string[]
  readonly warnings: string[]
  /** Warnings of settings without effect. While other settings are wrong, they would mislead. */
  readonly unused: string[]
  /** Null if a value is wrong; its mistakes are then in `mistakes`. */
  readonly parse: <T>(schema: z.ZodType<T>) => T | null
  /** Reports a mistake in a setting. */
  readonly refuse: Refuse
}

/** @param settings whose files are read, if they are secrets. Default: all. */
function startReading(environment: Environment, settings?: Settings): Reading {
  const all = { ...appSettings(), ...entryPointEnvironment() }
  const secrets = Object.entries(settings ?? all).flatMap(([name, schema]) => (metaOf(schema).isSecret ? [name] : []))
  const { given, unreadable, mistakes: faults } = readGivenSettings(environment, secrets)
  const mistakes = [...faults]
  const warnings: string[] = []
  for (const { setting, sentence } of lookAlikes(Object.keys(given), settingNames())) {
    const name = setting in all ? setting : setting.replace(/_FILE$/, '')
    // Only a missing protective setting stops the start: any other name may belong to another program.
    const isMissing = metaOf(all[name]).protects !== undefined && given[name] === undefined
    const sentences = isMissing ? mistakes : warnings
    sentences.push(sentence)
  }
  const refuse = (path: readonly PropertyKey[], message: string) => {
    if (!unreadable.includes(String(path[0]))) mistakes.push(sentenceOf(path, message))
  }
  return {
    given,
    mistakes,
    warnings,
    unused: [],
    refuse: (name, message) => refuse([name], message),
    parse(schema) {
      const parsed = schema.safeParse(given)
      for (const { path, message } of parsed.error?.issues ?? []) refuse(path, message)
      return parsed.success ? parsed.data : null
    },
  }
}

function mistakesIn({ mistakes, warnings }: Reading): ConfigError {
  const lines = [...mistakes, ...warnings].map((line) => `\n  ${line}`)
  return new ConfigError(`These settings are missing or wrong:${lines.join('')}`)
}

function entryPointsIn(reading: Reading, publicUrl: URL | null, before?: readonly EntryPoint[]) {
  const rules = addressRules(publicUrl)
  return readEntryPoints(sourcesIn(reading, entryPointSettings(rules, settingOwners)), rules, settingOwners, before)
}

/** Returns the settings of each entry point: those of the environment, unless a feature has others. */
function sourcesIn({ given, mistakes, unused, refuse }: Reading, all: Settings): Iterable<NamedSource> {
  for (const feature of features) {
    const sources = feature.sources?.(given, all, (mistake) => void mistakes.push(mistake))
    if (sources) return sources
  }
  const warn = (sentence: string) => void unused.push(`${sentence}.`)
  return [{ name: 'default', open: () => settingSource(all, refuse, { given, warn }) }]
}
