import type { Config } from '../../../../config.ts'
import type { HashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS, unknown } from '../finding.ts'
import { request, requestFrame } from '../request.ts'
import { notAllowed } from './content-security-policy.ts'
import { guarded, isGuarded } from './guarded.ts'
import { judgeReturnPage } from './return-page.ts'

/** Checks the return address of the player, and that the app sends viewers to the consumers of the settings. */
export async function* checkAddresses(
  config: Config,
  entryPoint: HashEntryPoint,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const address = addressOf(config, entryPoint)
  yield await checkReachable('PLAYER_RETURN_URL', entryPoint.playerAddress.url, [404, 410], signal)
  for (const { origin, path } of entryPoint.consumers) {
    // Even 404 is fine, because a consumer may be a folder without a page.
    yield await checkReachable('The consumer', origin + path, [], signal)
    yield await checkConsumer(address, origin, path, signal)
  }
}

/** An address that does not answer is often mistyped, but it may still work in a browser elsewhere. */
export async function checkReachable(
  name: string,
  url: string,
  missingStatuses: readonly number[],
  signal: AbortSignal,
): Promise<Finding> {
  const answer = await request(url, signal)
  if (!(answer instanceof Response)) {
    return unknown('address-unreachable', `${name} ${url} cannot be reached from here. ${answer.text}`)
  }
  const { status } = answer
  if (status === 200 && name === 'PLAYER_RETURN_URL') return await judgeReturnPage(url, answer, signal)
  const target = answer.headers.get('location')
  if (target !== null && URL.canParse(target, url) && new URL(target, url).origin !== new URL(url).origin) {
    return unknown(
      'address-redirects',
      `${name} ${url} redirects to ${new URL(target, url).origin}. If it also does so with a response, browsers block the way back: the Content-Security-Policy of the app allows only the origin in the setting. Set the final address.`,
    )
  }
  if (missingStatuses.includes(status)) {
    return failure(
      'address-missing',
      `${name} ${url} answers ${status}: there is no such page, so no response reaches the player. Ask the video service for {player_return_url}.`,
    )
  }
  return status >= 500 || isGuarded(status)
    ? unknown(
        'address-doubtful',
        `${name} ${url} answers ${status} to a request without a response. Check its spelling.`,
      )
    : ok('address-reachable', `${name} ${url} is reachable.`)
}

async function checkConsumer(address: string, origin: string, path: string, signal: AbortSignal): Promise<Finding> {
  const screen = await requestFrame(`${address}?${new URLSearchParams({ hashConsumer: origin + path })}`, signal)
  if (!(screen instanceof Response)) return screen
  if (isGuarded(screen.status)) return guarded(`${address} with hashConsumer`, screen.status)
  if (screen.status !== 200) {
    return failure(
      'consumer-refused',
      `${address} refuses the consumer ${origin}${path} (${screen.status}). The app runs with other settings. Restart it.`,
    )
  }
  return notAllowed(screen.headers, 'form-action', [origin]).length === 0
    ? ok('consumer-allowed', `${address} sends viewers to the consumer ${origin}${path}.`)
    : failure(
        'consumer-form-action',
        `${address}: form-action lacks ${origin}, so browsers block the redirect to the consumer. ${PROXY_OR_SETTINGS}`,
      )
}
