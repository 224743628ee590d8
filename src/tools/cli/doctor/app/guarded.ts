import { type Finding, failure } from '../finding.ts'

/** Statuses that the app does not give to a request for its health or its screen. */
const GUARDED: readonly number[] = [401, 403, 407, 429]

export function isGuarded(status: number): boolean {
  return GUARDED.includes(status)
}

/** Returns the finding for an answer of a proxy or filter that wants a login of its own or forbids the request. */
export function guarded(what: string, status: number): Finding {
  const means =
    status === 403 ? 'forbids the request' : status === 429 ? 'limits requests' : 'asks for a login of its own'
  return failure(
    'proxy-guards',
    `A proxy or a filter (firewall, VPN, login of a proxy) answers ${what} with ${status} before the app: it ${means}. Viewers meet it too. Exempt the login app from it.`,
  )
}
