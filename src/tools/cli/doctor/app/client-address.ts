import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { Config } from '../../../../config.ts'
import { type Finding, ok, warning } from '../finding.ts'
import { request } from '../request.ts'

/** In TEST-NET-3 (RFC 5737), which no machine has. */
const FORGED = '203.0.113.77'
/** Ranges of ipaddr.js that the internet does not route. */
const INTERNAL = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']
const Seen = z.object({ address: z.string() })

/**
 * Checks which address the app sees behind its proxies. Sends an X-Forwarded-For of its own, as an attacker would.
 * @returns null without trusted proxies, and if something else answers.
 */
export async function checkClientAddress(config: Config, signal: AbortSignal): Promise<Finding | null> {
  const { publicUrl, trustProxyHops, trustedProxies } = config
  if (trustProxyHops === 0 && trustedProxies.length === 0) return null
  const headers = { 'X-Forwarded-For': FORGED }
  const answer = await request(`${publicUrl.origin}/health/address`, signal, { headers })
  if (!(answer instanceof Response)) return null
  const seen = Seen.safeParse(await answer.json().catch(() => null)).data?.address
  if (seen === undefined) return null
  const host = publicUrl.hostname.replace(/^\[|\]$/g, '')
  const app = await lookup(host).catch(() => ({ address: host }))
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])
  return findingOfAddress(seen, { app: app.address, own })
}

/**
 * Judges the address that the app sees.
 * @param app the address of PUBLIC_URL.
 * @param own the addresses of this machine.
 */
export function findingOfAddress(
  seen: string,
  { app, own }: { readonly app: string; readonly own: readonly string[] },
): Finding {
  if (seen === FORGED) {
    return warning(
      'forged-address',
      'The app believes a forged X-Forwarded-For, so attackers get around the limits by address. TRUST_PROXY_HOPS is higher than the number of proxies, or TRUSTED_PROXIES contains the address of this machine. Correct them.',
    )
  }
  if (isInternal(seen) && !isInternal(app) && !own.includes(seen)) {
    return warning(
      'shared-address',
      `The app sees this machine as ${seen}, which is probably a proxy: then all viewers share one limit of failed sign-ins. Raise TRUST_PROXY_HOPS to the number of proxies, or add it to TRUSTED_PROXIES.`,
    )
  }
  return ok('client-address', `The app sees this machine as ${seen}, and believes no forged X-Forwarded-For.`)
}

function isInternal(address: string): boolean {
  return ipaddr.isValid(address) && INTERNAL.includes(ipaddr.process(address).range())
}
