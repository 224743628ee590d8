import { existsSync } from 'node:fs'
import { z } from 'zod'
import { isLoopbackHost, listField, PortNumber, required, wholeNumber } from '../../../../settings/fields.ts'
import { WrittenFile } from '../../../../settings/named-file.ts'
import { Origin } from '../../../../settings/public-url.ts'
import { SECRET_MISSING, Secret } from '../../../../settings/secret.ts'
import { isTimeZone } from '../../../../settings/times.ts'
import { type LineAbout, linesIn } from '../../security-log/lines-about.ts'
import { rotatedFiles } from '../../security-log/log-lines.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { readToolSettings } from '../read-tool-settings.ts'

const MISSING_PORT = 'is required: the port of the page for managers, such as 3100'
const MISSING_URL = 'is required: the address of this page as browsers see it, such as https://manager.example.com'

const MetricsUrls = listField(null, (item) => {
  const url = URL.canParse(item) ? new URL(item) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new RangeError('must be an address of metrics, such as http://10.0.0.5:9464/metrics')
  }
  return url
}).default([])

/** The settings that commands need: the file of managers, and the metrics of all copies. */
const PartEnvironment = z.object({
  MANAGER_STORE_FILE: WrittenFile.default('data/manager.db'),
  MANAGER_LOG_FILE: WrittenFile.default('data/manager.log'),
  MANAGER_METRICS_URLS: MetricsUrls,
})

/** The settings by their names in the environment. */
export const ManagerEnvironment = z.object({
  MANAGER_PORT: required(PortNumber, MISSING_PORT),
  MANAGER_HOST: z.string().default('127.0.0.1'),
  MANAGER_URL: required(Origin, MISSING_URL),
  MANAGER_SECRET: required(Secret, SECRET_MISSING),
  MANAGER_PROXY_HOPS: wholeNumber(0, 20).default(0),
  MANAGER_TIME_ZONE: z.string().refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin').optional(),
  ...PartEnvironment.shape,
})
export const MANAGER_SECRETS: readonly string[] = ['MANAGER_SECRET']
const NAMES = Object.keys(ManagerEnvironment.shape)

const Settings = ManagerEnvironment.extend({ PUBLIC_URL: z.string().optional() })
  .refine(({ MANAGER_URL: url, PUBLIC_URL = '' }) => url.origin !== originOf(PUBLIC_URL), {
    path: ['MANAGER_URL'],
    message: 'must differ from PUBLIC_URL: browsers would send the cookies of managers to the login app',
  })
  .refine(({ MANAGER_URL: url, MANAGER_HOST: host }) => url.protocol !== 'http:' || isLoopbackHost(host), {
    path: ['MANAGER_HOST'],
    message: 'must be a loopback address, such as 127.0.0.1, while MANAGER_URL is http',
  })
  .transform((values) => ({
    port: values.MANAGER_PORT,
    host: values.MANAGER_HOST,
    /** The origin of the page. Never that of the login app. */
    url: values.MANAGER_URL,
    /** Seals the secrets of second steps, and signs the form of the sign-in. */
    secret: values.MANAGER_SECRET,
    storeFile: values.MANAGER_STORE_FILE,
    logFile: values.MANAGER_LOG_FILE,
    proxyHops: values.MANAGER_PROXY_HOPS,
    /** The zone of times on the page, if the doors name none. Null without the setting. */
    timeZone: values.MANAGER_TIME_ZONE ?? null,
  }))

/** The settings of the page for managers. */
export type ManagerSettings = Readonly<z.output<typeof Settings>>

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

type Env = CommandIo['env']

/** @throws ConfigError that lists every missing or wrong setting `MANAGER_…`. It repeats no value. */
export function readManagerSettings(env: Env): ManagerSettings {
  return readToolSettings(env, Settings, MANAGER_SECRETS)
}

/** Reads only the settings that commands need. @throws ConfigError as above. */
export function readManagerPart(env: Env) {
  const part = readToolSettings(env, PartEnvironment, MANAGER_SECRETS)
  return { storeFile: part.MANAGER_STORE_FILE, logFile: part.MANAGER_LOG_FILE, metricsUrls: part.MANAGER_METRICS_URLS }
}

/** Returns the acts of managers on a viewer, of the log of acts. @throws ConfigError if it cannot be read. */
export async function actsAbout(env: Env, viewer: string): Promise<LineAbout[]> {
  const files = await rotatedFiles(readManagerPart(env).logFile)
  return await linesIn(files.filter(existsSync), viewer)
}

/** The settings of the page for managers, for `config check`. */
export const managerSettings = {
  field: 'manager',
  isGiven: (env: Env): boolean => NAMES.some((name) => env[name] || env[`${name}_FILE`]),
  read: readManagerSettings,
  sentence: (isGiven: boolean) =>
    isGiven ? 'Page for managers: set' : 'Page for managers: not set. npm run manager needs the settings MANAGER_…',
}
