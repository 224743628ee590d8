import type { Config } from '../../config.ts'
import { addressOf } from '../settings/chosen-entry-point.ts'
import { type Finding, failure, notAllowed, ok, request, warning } from './finding.ts'

/** RFC 2606 reserves `.invalid`, so no list of consumers holds this address. */
const UNKNOWN_CONSUMER = 'https://unknown.invalid/consumer/'

/** Checks the return address of the player and the consumers, and that the app refuses any other consumer. */
export async function* checkAddresses(config: Config, signal: AbortSignal): AsyncGenerator<Finding> {
  for (const entryPoint of config.entryPoints) {
    const address = addressOf(config, entryPoint)
    yield await checkReachable('PLAYER_RETURN_URL', entryPoint.playerAddress.url, [404, 410], signal)
    for (const { origin, pathPrefix } of entryPoint.consumers) {
      // Even 404 is fine, because a path prefix need not be a page.
      yield await checkReachable('The consumer', origin + pathPrefix, [], signal)
      yield await checkConsumer(address, origin, pathPrefix, signal)
    }
    yield await checkUnknownConsumer(address, signal)
  }
}

/** Only warns if the address does not answer: it is often mistyped, but it may still work in a browser. */
async function checkReachable(
  name: string,
  url: string,
  doubtfulStatuses: readonly number[],
  signal: AbortSignal,
): Promise<Finding> {
  const answer = await request(url, signal)
  if (!(answer instanceof Response)) return warning(`${name}: ${answer.text} Viewers must be able to reach it.`)
  const { status } = answer
  return status >= 500 || doubtfulStatuses.includes(status)
    ? warning(`${name} ${url} answers ${status} to a request without a response. Check its spelling.`)
    : ok(`${name} ${url} is reachable.`)
}

async function checkConsumer(
  address: string,
  origin: string,
  pathPrefix: string,
  signal: AbortSignal,
): Promise<Finding> {
  const screen = await request(withConsumer(address, origin + pathPrefix), signal)
  if (!(screen instanceof Response)) return screen
  if (screen.status !== 200) {
    return failure(
      `${address} refuses the consumer ${origin}${pathPrefix} (${screen.status}). The app runs with other settings.`,
    )
  }
  return notAllowed(screen.headers, 'form-action', [origin]).length === 0
    ? ok(`${address} sends viewers to the consumer ${origin}${pathPrefix}.`)
    : failure(`${address}: form-action lacks ${origin}, so browsers block the redirect to the consumer.`)
}

async function checkUnknownConsumer(address: string, signal: AbortSignal): Promise<Finding> {
  const refusal = await request(withConsumer(address, UNKNOWN_CONSUMER), signal)
  if (!(refusal instanceof Response)) return refusal
  return refusal.status === 400
    ? ok(`${address} refuses consumers that are not in HASH_CONSUMERS.`)
    : failure(
        `${address} answers ${refusal.status} instead of 400 for a consumer that is not in HASH_CONSUMERS. A proxy answers instead of the app, or removes the query.`,
      )
}

function withConsumer(address: string, consumer: string): string {
  return `${address}?${new URLSearchParams({ hashConsumer: consumer })}`
}
