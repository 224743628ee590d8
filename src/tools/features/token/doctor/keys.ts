import type { Config } from '../../../../config.ts'
import type { TokenEntryPoint } from '../../../../features/token/fields.ts'
import { keyFingerprint } from '../../../../features/token/viewer-token/content-key.ts'
import { CLOCK_MARGIN_SECONDS, TOKEN_LIFETIME_SECONDS } from '../../../../features/token/viewer-token/viewer-token.ts'
import { isAway } from '../../../cli/doctor/app/readiness.ts'
import { type Finding, failure, ok, unknown, warning } from '../../../cli/doctor/finding.ts'
import { clocksOf } from '../../../cli/doctor/request.ts'
import type { Service } from '../../../cli/service/service.ts'
import { isRequestError } from '../../../video-service/service-errors.ts'
import { fetchServiceKeys } from '../../../video-service/token/service-keys.ts'
import { createTransport } from '../../../video-service/transport.ts'
import { tokenEntryPoints } from './seen-player.ts'

/** The header Date is exact to a second, and so is `iat`. */
const EXACT_SECONDS = 2
/** A redirect from the login app to the player may take this long. */
const SLOW_SECONDS = 15

/** Checks the keys of an entry point with tokens, and the clocks that decide if the service accepts a token. */
export async function* checkTokenKeys(
  config: Config,
  { contentKey, serviceKeyUrl }: TokenEntryPoint,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const bits = contentKey.asymmetricKeyDetails?.modulusLength ?? 0
  yield ok(
    'content-key',
    `The content key is RSA of ${bits} bits. Its public half: SHA-256 ${keyFingerprint(contentKey)}.`,
  )
  const isAppWithoutKeys = await isAway('SERVICE_VIEWER_KEY_URL', config, signal)
  try {
    const [{ publicKey }] = await fetchServiceKeys(createTransport(), serviceKeyUrl, signal)
    const serviceBits = publicKey.asymmetricKeyDetails?.modulusLength
    yield ok('service-keys', `The service publishes a key for tokens at ${serviceKeyUrl}: RSA of ${serviceBits} bits.`)
  } catch (error) {
    signal.throwIfAborted()
    if (!isRequestError(error)) throw error
    return yield keysAway(error.message, isAppWithoutKeys)
  }
  const hasOneAddress = new Set(tokenEntryPoints(config).map((one) => one.serviceKeyUrl)).size === 1
  if (isAppWithoutKeys && hasOneAddress) yield appWithoutKeys(serviceKeyUrl)
  yield* checkTokenClocks(config, serviceKeyUrl, signal)
}

/** The app keeps keys for a day, so that a service that is away for a moment stops no viewer. */
function keysAway(cause: string, isAppWithoutKeys: boolean): Finding {
  return isAppWithoutKeys
    ? failure(
        'service-keys',
        `No key of the service for tokens: ${cause}. Without one, no viewer gets a token. Check SERVICE_VIEWER_KEY_URL.`,
      )
    : warning(
        'service-keys-kept',
        `No key of the service for tokens: ${cause}. The app still has the keys that it fetched before, for 24 hours at most. Check SERVICE_VIEWER_KEY_URL.`,
      )
}

function appWithoutKeys(serviceKeyUrl: string): Finding {
  return failure(
    'app-without-service-keys',
    `The app has no key of the service for tokens, although ${serviceKeyUrl} answers here. The app has another SERVICE_VIEWER_KEY_URL, or cannot reach the service. Allow its outgoing connections; with the containers of this kit, set STORES_INSIDE=false. See "service-keys" in its log.`,
  )
}

/**
 * Compares the keys of SERVICE_VIEWER_KEY_URL with those that the service of SERVICE_BASE_URL publishes. Null if they are
 * the same, or if one of them cannot be fetched.
 */
export async function compareServiceKeys(
  { serviceKeyUrl }: TokenEntryPoint,
  { settings, signal }: Pick<Service, 'settings' | 'signal'>,
): Promise<Finding | null> {
  const ofService = `${settings.baseUrl}/viewer-auth-public-key.json`
  const kidsAt = async (url: string) => {
    const keys = await fetchServiceKeys(createTransport(), url, signal).catch(() => [])
    signal.throwIfAborted()
    return keys.map(({ kid }) => kid)
  }
  if (ofService === serviceKeyUrl) return null
  const [ours, theirs] = await Promise.all([kidsAt(serviceKeyUrl), kidsAt(ofService)])
  if (ours.length === 0 || theirs.length === 0 || ours.some((kid) => theirs.includes(kid))) return null
  return failure(
    'service-keys-differ',
    `${serviceKeyUrl} has keys of another service than ${ofService}, which refuses every token. Correct SERVICE_VIEWER_KEY_URL.`,
  )
}

async function* checkTokenClocks(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  serviceKeyUrl: string,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const clocks = await clocksOf(publicUrl, serviceKeyUrl, signal)
  if (typeof clocks === 'string') {
    yield unknown(
      'token-clocks-unknown',
      `The clocks could not be compared for tokens, because ${clocks} sends no Date.`,
    )
  } else if (clocks !== null) yield judgeTokenClocks(Math.round(clocks.app - clocks.service))
}

/** @param appAheadSeconds how far the clock of the login app is ahead of the service; negative if it is behind. */
export function judgeTokenClocks(appAheadSeconds: number): Finding {
  const fix = 'Synchronize the clocks.'
  if (appAheadSeconds > CLOCK_MARGIN_SECONDS) {
    return failure(
      'token-clock-ahead',
      `The clock of the login app is ${appAheadSeconds} s ahead of the service, which refuses every token as issued in the future. ${fix}`,
    )
  }
  const leftSeconds = TOKEN_LIFETIME_SECONDS - CLOCK_MARGIN_SECONDS + appAheadSeconds
  if (leftSeconds <= EXACT_SECONDS) {
    return failure(
      'token-clock-behind',
      `The clock of the login app is ${-appAheadSeconds} s behind the service, which refuses every token as expired. ${fix}`,
    )
  }
  if (appAheadSeconds > CLOCK_MARGIN_SECONDS - EXACT_SECONDS || leftSeconds < SLOW_SECONDS) {
    return warning(
      'token-clocks-differ',
      `The clocks of the login app and the service differ by ${Math.abs(appAheadSeconds)} s. The service may refuse some tokens. ${fix}`,
    )
  }
  return ok('token-clocks', 'By the clocks of the login app and the service, a new token is valid.')
}
