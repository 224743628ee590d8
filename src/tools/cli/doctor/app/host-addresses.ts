import { lookup } from 'node:dns/promises'
import type { Config } from '../../../../config.ts'
import { isLoopbackName } from '../../../../settings/fields.ts'
import { type Finding, failure, ok, unknown } from '../finding.ts'
import { request } from '../request.ts'

/** Codes of a machine that has no network of this family, such as IPv6. */
const NO_NETWORK = /ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL/

/**
 * Checks each address (A and AAAA) of the host, if it has several: browsers choose any of them.
 * @param resolve returns the addresses. A test passes its own.
 */
export async function* checkHostAddresses(
  { publicUrl: { origin, hostname } }: Pick<Config, 'publicUrl'>,
  signal: AbortSignal,
  resolve = (name: string) => lookup(name, { all: true }),
): AsyncGenerator<Finding> {
  const all = isLoopbackName(hostname) ? [] : await resolve(hostname).catch(() => [])
  if (all.length < 2) return
  const tries = all.map(async (at) => ({ at, answer: await request(`${origin}/health/live`, signal, { at }) }))
  let isRight = true
  for (const { at, answer } of await Promise.all(tries)) {
    if (answer instanceof Response && answer.status === 200) continue
    isRight = false
    const text = answer instanceof Response ? `It answers ${answer.status}.` : answer.text
    yield NO_NETWORK.test(text)
      ? unknown(
          'host-address-unseen',
          `${hostname} has the address ${at.address}, which this machine cannot reach. ${text}`,
        )
      : failure(
          'host-address-away',
          `${hostname} has ${all.length} addresses, and the login app does not answer at ${at.address}. Browsers that choose it fail or wait. Start the app there, or remove the address from DNS. ${text}`,
        )
  }
  if (isRight) yield ok('host-addresses', `The login app answers at all ${all.length} addresses of ${hostname}.`)
}
