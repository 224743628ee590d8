import type { Config } from '../../config.ts'
import { addressOf } from '../settings/chosen-entry-point.ts'
import { type Finding, failure, notAllowed, ok, reach, warning } from './finding.ts'

/** Reserved by RFC 2606: nobody has it on a list. */
const STRANGER = 'https://stranger.invalid/consumer/'

/** Where responses go: the player's return address and the consumers, and that the app sends viewers nowhere else. */
export async function* examineAddresses(config: Config, signal: AbortSignal): AsyncGenerator<Finding> {
  for (const entryPoint of config.entryPoints) {
    const address = addressOf(config, entryPoint)
    yield await examineTarget('PLAYER_RETURN_URL', entryPoint.playerAddress.url, [404, 410], signal)
    for (const { origin, pathPrefix } of entryPoint.consumers) {
      // The beginning of an address need not be one itself.
      yield await examineTarget('The consumer', origin + pathPrefix, [], signal)
      yield await examineConsumer(address, origin, pathPrefix, signal)
    }
    yield await examineStranger(address, signal)
  }
}

/** What a browser gets there is not ours to judge; but an address that nobody answers at is often a mistyped one. */
async function examineTarget(
  name: string,
  url: string,
  doubtful: readonly number[],
  signal: AbortSignal,
): Promise<Finding> {
  const answer = await reach(url, signal)
  if (!(answer instanceof Response)) return warning(`${name}: from this machine, ${answer.text} Viewers must reach it.`)
  const { status } = answer
  return status >= 500 || doubtful.includes(status)
    ? warning(`${name} ${url} answers ${status} to a request without a response: look whether it is spelled right.`)
    : ok(`${name} ${url} can be reached.`)
}

async function examineConsumer(
  address: string,
  origin: string,
  pathPrefix: string,
  signal: AbortSignal,
): Promise<Finding> {
  const screen = await reach(withConsumer(address, origin + pathPrefix), signal)
  if (!(screen instanceof Response)) return screen
  if (screen.status !== 200) {
    return failure(
      `${address} refuses the consumer ${origin}${pathPrefix} (${screen.status}): the app runs with other settings.`,
    )
  }
  return notAllowed(screen.headers, 'form-action', [origin]).length === 0
    ? ok(`${address} sends viewers to the consumer ${origin}${pathPrefix}.`)
    : failure(`${address}: form-action lacks ${origin}, so browsers stop the way to the consumer.`)
}

async function examineStranger(address: string, signal: AbortSignal): Promise<Finding> {
  const refusal = await reach(withConsumer(address, STRANGER), signal)
  if (!(refusal instanceof Response)) return refusal
  return refusal.status === 400
    ? ok(`${address} sends viewers to no consumer that is not on the list.`)
    : failure(
        `${address} answers ${refusal.status} for a consumer that is not on the list, and should answer 400: something in front of it answers, or takes the query away.`,
      )
}

function withConsumer(address: string, consumer: string): string {
  return `${address}?${new URLSearchParams({ hashConsumer: consumer })}`
}
