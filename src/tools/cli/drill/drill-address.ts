import { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import { type Environment, isLoopbackHost, listField, sentenceOf } from '../../../settings/fields.ts'
import { readGivenSettings } from '../../../settings/named-file.ts'

/** An address that may be drilled: an exact origin, and the path at which drilled addresses begin. */
interface AllowedAddress {
  readonly origin: string
  readonly path: string
}

/** The settings of the drill. The login app does not need them. */
export const DrillEnvironment = z.object({ DRILL_URLS: listField(null, parseAllowed).default([]) })

/**
 * Reads the address of a sign-in screen, and refuses it unless the settings allow a drill there. Loopback addresses are
 * allowed, except where PUBLIC_URL shows that the app on this machine is open to viewers.
 * @throws ConfigError with a sentence for the operator.
 */
export function readDrillAddress(text: string, environment: Environment): URL {
  const url = parseAddress(text)
  if (typeof url === 'string') {
    const completed = withScheme(text)
    throw new ConfigError(completed === null ? `--url ${url}.` : `--url has no scheme: write ${completed}`)
  }
  const { given } = readGivenSettings(environment, [])
  const settings = DrillEnvironment.safeParse(given)
  if (!settings.success) {
    throw new ConfigError(settings.error.issues.map(({ path, message }) => `${sentenceOf(path, message)}.`).join('\n'))
  }
  if (settings.data.DRILL_URLS.some((allowed) => isWithin(url, allowed))) return url
  const address = url.origin + url.pathname
  if (!isLoopbackHost(url.hostname)) {
    throw new ConfigError(
      `${address} is not in DRILL_URLS. A drill disturbs viewers: list the address only if it is staging.`,
    )
  }
  const publicUrl = publicUrlOf(given)
  if (publicUrl !== null && !isLoopbackHost(publicUrl.hostname)) {
    throw new ConfigError(
      `PUBLIC_URL is ${publicUrl.origin}, so the app on this machine has viewers. List ${url.origin}/ in DRILL_URLS if it is staging.`,
    )
  }
  return url
}

/**
 * Refuses to change the stores of another app.
 * @param change the beginning of the sentence.
 * @throws ConfigError if the settings are those of an app at another address. It may be on this machine too.
 */
export function assertOwnStore(
  url: URL,
  environment: Environment,
  change = '--make-up-viewers would add viewers to the user store',
): void {
  const publicUrl = publicUrlOf(environment)
  if (publicUrl === null || publicUrl.origin === url.origin) return
  throw new ConfigError(`${change} of ${publicUrl.origin}. Use the settings of ${url.origin}.`)
}

/** Returns the URL, or the end of a sentence that says what is wrong. */
function parseAddress(text: string): URL | string {
  if (!URL.canParse(text)) return 'must be an address, such as https://login.staging.example/e/town-hall'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || url.hash !== '') return 'must have no user name and no fragment'
  const isHttp = url.protocol === 'http:' && isLoopbackHost(url.hostname)
  return url.protocol === 'https:' || isHttp ? url : 'must be https: plain http is accepted only on localhost'
}

/** Adds the scheme that was left out, as in `localhost:3000`. Null if the text has a scheme or is not an address. */
function withScheme(text: string): string | null {
  if (text.includes('//') || !URL.canParse(`https://${text}`)) return null
  const { protocol, host, hostname, pathname } = new URL(`https://${text}`)
  return `${isLoopbackHost(hostname) ? 'http:' : protocol}//${host}${pathname}`
}

function parseAllowed(item: string): AllowedAddress {
  const url = parseAddress(item)
  if (typeof url === 'string') throw new RangeError(url)
  if (url.search !== '') throw new RangeError('must have no query')
  return { origin: url.origin, path: url.pathname }
}

function isWithin({ origin, pathname }: URL, allowed: AllowedAddress): boolean {
  const folder = allowed.path.endsWith('/') ? allowed.path : `${allowed.path}/`
  return origin === allowed.origin && (pathname === allowed.path || pathname.startsWith(folder))
}

/** Returns PUBLIC_URL. Null if it is missing or not an address. */
function publicUrlOf({ PUBLIC_URL: address = '' }: Environment): URL | null {
  return URL.canParse(address) ? new URL(address) : null
}
