import type { Config } from '../../../config.ts'
import type { TokenEntryPoint } from '../../../entry-points/entry-point.ts'
import { ServiceRefusal, ServiceUnreachable, UnexpectedAnswer } from '../../../video-service/service-errors.ts'
import { createTransport } from '../../../video-service/transport.ts'
import { fetchServiceKeys } from '../../../video-service/viewer-auth/service-keys.ts'
import { keyFingerprint } from '../../../viewer-token/content-key.ts'
import { CLOCK_MARGIN_SECONDS, TOKEN_LIFETIME_SECONDS } from '../../../viewer-token/viewer-token.ts'
import { type Finding, failure, ok, unknown, warning } from '../finding.ts'
import { aheadSeconds } from './clocks.ts'

/** The header Date is exact to a second, and so is `iat`. */
const EXACT_SECONDS = 2
/** For the way of a viewer from the login app to the player. */
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
  try {
    const [{ publicKey }] = await fetchServiceKeys(createTransport(), serviceKeyUrl, signal)
    const serviceBits = publicKey.asymmetricKeyDetails?.modulusLength
    yield ok('service-keys', `The service publishes a key for tokens at ${serviceKeyUrl}: RSA of ${serviceBits} bits.`)
  } catch (error) {
    signal.throwIfAborted()
    const isOfService = [ServiceRefusal, ServiceUnreachable, UnexpectedAnswer].some((kind) => error instanceof kind)
    if (!isOfService) throw error
    const cause = (error as Error).message
    yield failure(
      'service-keys',
      `No key of the service for tokens: ${cause}. Without one, no viewer gets a token. Check SERVICE_VIEWER_KEY_URL.`,
    )
    return
  }
  yield* checkTokenClocks(config, serviceKeyUrl, signal)
}

async function* checkTokenClocks(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  serviceKeyUrl: string,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const [app, service] = await Promise.all([
    aheadSeconds(`${publicUrl.origin}/health/live`, signal),
    aheadSeconds(serviceKeyUrl, signal),
  ])
  if (app === null || service === null) return
  if (Number.isNaN(app) || Number.isNaN(service)) {
    const silent = Number.isNaN(app) ? 'the login app' : 'the service'
    yield unknown(
      'token-clocks-unknown',
      `The clocks could not be compared for tokens, because ${silent} sends no Date.`,
    )
  } else yield judgeTokenClocks(Math.round(app - service))
}

/** @param appAheadSeconds how far the clock of the login app is ahead of the service; negative if it is behind. */
export function judgeTokenClocks(appAheadSeconds: number): Finding {
  const fix = 'Synchronise the clocks.'
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
