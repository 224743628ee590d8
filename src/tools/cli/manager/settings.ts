import { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import { isLoopbackHost, listField, PortNumber, sentenceOf, wholeNumber } from '../../../settings/fields.ts'
import { readGivenSettings, WrittenFile } from '../../../settings/named-file.ts'
import { PublicUrl } from '../../../settings/public-url.ts'
import { SECRET_MISSING, Secret } from '../../../settings/secret.ts'
import { isTimeZone } from '../../../settings/times.ts'
import type { CommandIo } from '../terminal/io.ts'

/** The settings of the page for managers. */
export interface ManagerSettings {
  readonly port: number
  readonly host: string
  /** The origin of the page. Never that of the login app. */
  readonly url: URL
  /** Seals the secrets of second steps, and signs the form of the sign-in. */
  readonly secret: string
  readonly storeFile: string
  readonly logFile: string
  readonly proxyHops: number
  /** The zone of times on the page, if the doors name none. Null without the setting. */
  readonly timeZone: string | null
}

const MISSING_URL = 'is required: the address of this page as browsers see it, such as https://manager.example.com'

const MetricsUrls = listField(null, (item) => {
  const url = URL.canParse(item) ? new URL(item) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new RangeError('must be an address of metrics, such as http://10.0.0.5:9464/metrics')
  }
  return url
}).default([])

const PartEnvironment = z.object({
  MANAGER_STORE_FILE: WrittenFile.default('data/manager.db'),
  MANAGER_METRICS_URLS: MetricsUrls,
})

/** The settings by their names in the environment. */
export const ManagerEnvironment = z.object({
  MANAGER_PORT: PortNumber.optional(),
  MANAGER_HOST: z.string().default('127.0.0.1'),
  MANAGER_URL: PublicUrl.optional(),
  MANAGER_SECRET: Secret.optional(),
  MANAGER_LOG_FILE: WrittenFile.default('data/manager.log'),
  MANAGER_PROXY_HOPS: wholeNumber(0, 20).default(0),
  MANAGER_TIME_ZONE: z.string().refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin').optional(),
  ...PartEnvironment.shape,
})
export const MANAGER_SECRETS: readonly string[] = ['MANAGER_SECRET']
const NAMES = Object.keys(ManagerEnvironment.shape)
const REQUIRED = {
  MANAGER_PORT: 'is required: the port of the page for managers, such as 3100',
  MANAGER_URL: MISSING_URL,
  MANAGER_SECRET: SECRET_MISSING,
} as const

type Env = CommandIo['env']

/** @throws ConfigError that lists every missing or wrong setting `MANAGER_…`. It repeats no value. */
export function readManagerSettings(env: Env): ManagerSettings {
  const { given, mistakes, parse } = start(env)
  const values = parse(ManagerEnvironment)
  for (const [name, message] of Object.entries(REQUIRED)) {
    if (given[name] === undefined && env[`${name}_FILE`] === undefined) mistakes.push(sentenceOf([name], message))
  }
  const { MANAGER_PORT: port, MANAGER_URL: url, MANAGER_SECRET: secret } = values ?? {}
  const publicUrl = URL.canParse(given.PUBLIC_URL ?? '') ? new URL(given.PUBLIC_URL ?? '') : null
  if (url && url.origin === publicUrl?.origin) {
    mistakes.push(
      'MANAGER_URL must differ from PUBLIC_URL: browsers would send the cookies of managers to the login app',
    )
  }
  if (values && url?.protocol === 'http:' && !isLoopbackHost(values.MANAGER_HOST)) {
    mistakes.push('MANAGER_HOST must be a loopback address, such as 127.0.0.1, while MANAGER_URL is http')
  }
  if (!values || port === undefined || !url || !secret || mistakes.length > 0) throw wrong(mistakes)
  return {
    port,
    host: values.MANAGER_HOST,
    url,
    secret,
    storeFile: values.MANAGER_STORE_FILE,
    logFile: values.MANAGER_LOG_FILE,
    proxyHops: values.MANAGER_PROXY_HOPS,
    timeZone: values.MANAGER_TIME_ZONE ?? null,
  }
}

/** Reads only what commands need: the file of managers, and the metrics of all copies. @throws ConfigError as above. */
export function readManagerPart(env: Env): { readonly storeFile: string; readonly metricsUrls: readonly URL[] } {
  const { mistakes, parse } = start(env)
  const values = parse(PartEnvironment)
  if (values === null) throw wrong(mistakes)
  return { storeFile: values.MANAGER_STORE_FILE, metricsUrls: values.MANAGER_METRICS_URLS }
}

function start(env: Env) {
  const { given, unreadable, mistakes: faults } = readGivenSettings(env, MANAGER_SECRETS)
  const mistakes = [...faults]
  function parse<T>(schema: z.ZodType<T>): T | null {
    const parsed = schema.safeParse(given)
    for (const { path, message } of parsed.error?.issues ?? []) {
      if (!unreadable.includes(String(path[0]))) mistakes.push(sentenceOf(path, message))
    }
    return parsed.success ? parsed.data : null
  }
  return { given, mistakes, parse }
}

function wrong(mistakes: readonly string[]): ConfigError {
  return new ConfigError(`These settings are missing or wrong:\n${mistakes.map((line) => `  ${line}`).join('\n')}`)
}

/** The settings of the page for managers, for `config check`. */
export const managerSettings = {
  field: 'manager',
  isGiven: (env: Env): boolean => NAMES.some((name) => env[name] || env[`${name}_FILE`]),
  read: readManagerSettings,
  sentence: (isGiven: boolean) =>
    isGiven ? 'Page for managers: set' : 'Page for managers: not set. npm run manager needs the settings MANAGER_…',
}
