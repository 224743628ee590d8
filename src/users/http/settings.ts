import { z } from 'zod'
import {
  type Environment,
  isLoopbackHost,
  mistakesOf,
  type ReadSettings,
  type SettingMistake,
  wholeNumber,
} from '../../settings/fields.ts'
import { CertificatesFile } from '../../settings/named-file.ts'
import { isOnLaptop, namesHost } from '../remote/remote-address.ts'

export interface HttpStoreSettings {
  readonly kind: 'http'
  /** The sign-in address. */
  readonly url: string
  /** The look-up address; null if returning viewers are not looked up. */
  readonly findUrl: string | null
  /** Sent as `Authorization: Bearer …`. */
  readonly token: string
  /** The longest time for one request, including its time in the queue. */
  readonly timeoutMs: number
  /** The authority of the certificate, in PEM; null for the authorities that Node trusts. */
  readonly ca: string | null
}

const TOKEN_MISSING = 'is required: the token with which this app signs in to your login service'
const TOKEN_FORM = 'must be visible ASCII characters without spaces, because it is sent in a header'
const NOT_AN_ADDRESS = 'must be an address such as https://users.example.com/sign-in, without a user name or "#"'
const NOT_HTTPS =
  'must be https: plain http is allowed only if this address and PUBLIC_URL are on localhost, 127.0.0.1 or [::1]'

/** The settings of this store, except USER_STORE_URL. */
export const HttpStoreEnvironment = z.object({
  HTTP_STORE_TOKEN: z
    .string(TOKEN_MISSING)
    .regex(/^[\x21-\x7e]+$/, TOKEN_FORM)
    .meta({ isSecret: true }),
  HTTP_STORE_FIND_URL: z.string().optional().meta({ protects: 'without it, removed viewers keep their sessions' }),
  HTTP_STORE_TIMEOUT_SECONDS: wholeNumber(1, 60).default(5),
  HTTP_STORE_CA_FILE: CertificatesFile.optional(),
})

/** True for the address of a login service. @param url the value of USER_STORE_URL. */
export function isHttpStoreUrl(url: string): boolean {
  return /^https?:/i.test(url)
}

/** Reads the settings of this store, and reports all mistakes at once. No message repeats a value. */
export function readHttpStoreSettings(url: string, environment: Environment): ReadSettings<HttpStoreSettings> {
  const { HTTP_STORE_FIND_URL: findUrl, PUBLIC_URL: publicUrl } = environment
  const parsed = HttpStoreEnvironment.safeParse(environment)
  const mistakes: SettingMistake[] = parsed.success ? [] : mistakesOf(parsed.error)
  for (const [setting, address] of Object.entries({ USER_STORE_URL: url, HTTP_STORE_FIND_URL: findUrl })) {
    const message = address === undefined ? null : faultInAddress(address, publicUrl)
    if (message !== null) mistakes.push({ setting, message })
  }
  if (!parsed.success || mistakes.length > 0) return { ok: false, mistakes }
  const settings: HttpStoreSettings = {
    kind: 'http',
    url,
    findUrl: findUrl ?? null,
    token: parsed.data.HTTP_STORE_TOKEN,
    timeoutMs: parsed.data.HTTP_STORE_TIMEOUT_SECONDS * 1000,
    ca: parsed.data.HTTP_STORE_CA_FILE ?? null,
  }
  return { ok: true, settings }
}

function faultInAddress(text: string, publicUrl: string | undefined): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !isHttpStoreUrl(text) || !namesHost(url) || text.includes('#')) return NOT_AN_ADDRESS
  if (url.username !== '' || url.password !== '') return NOT_AN_ADDRESS
  return url.protocol === 'https:' || (isLoopbackHost(url.hostname) && isOnLaptop(publicUrl)) ? null : NOT_HTTPS
}
