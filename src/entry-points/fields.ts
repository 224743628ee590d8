import { isIP } from 'node:net'
import { z } from 'zod'
import { issuerField } from '../features/sso/settings/fields.ts'
import type { SsoSettings } from '../features/sso/settings/sso-settings.ts'
import { parseKeyUrl } from '../features/token/fields.ts'
import { faultInName } from '../hash-lock/authentication-response.ts'
import {
  type AllowedAddress,
  parseAllowedConsumer,
  parsePlayerAddress,
  parseRefAddress,
  type ReturnAddress,
} from '../hash-lock/return-address.ts'
import { fail, isLoopbackHost, isLoopbackName, listField, OnOff, reasonOf, splitList } from '../settings/fields.ts'
import type { HashParameter } from './entry-point.ts'

export const LONGEST_LIFETIME_SECONDS = 31_536_000
export const DEFAULT_LIFETIME_SECONDS = 3600
export const DEFAULT_PARAMETERS: readonly HashParameter[] = [{ name: 'user', attribute: 'username' }]
export const RETURN_URL_MISSING =
  "is required: the video service's {player_return_url}, which receives the authentication response"
export const ORIGINS_MISSING =
  'is required: every origin that may frame the screens, those of the player and of each page that embeds the player'

const MOST_PARAMETERS = 10
const AN_ORIGIN =
  'must be an origin as browsers write it, such as https://player.example: no path, no slash at the end, no wildcard, ' +
  'no default port, no capital letters'

/** `name=attribute` items, comma-separated, in the order in which the service hashes the parameters. */
export const HashParameters = z.string().transform((text, context): HashParameter[] => {
  const items = splitList(text)
  if (items.length === 0 || items.length > MOST_PARAMETERS) {
    return fail(context, `must list 1 to ${MOST_PARAMETERS} parameters, as in user=username`)
  }
  const parameters: HashParameter[] = []
  for (const [index, item] of items.entries()) {
    const [name = '', attribute = '', ...rest] = item.split('=')
    if (name === '' || attribute === '' || rest.length > 0) {
      fail(context, `: item ${index + 1} must be name=attribute, as in user=username`)
      continue
    }
    const fault = faultInName(name)
    if (fault === null) parameters.push({ name, attribute })
    else fail(context, `: the parameter name in item ${index + 1} ${fault}`)
  }
  const names = new Set(parameters.map(({ name }) => name))
  return names.size === parameters.length ? parameters : fail(context, 'names a parameter twice')
})

/** Group names in NFC, the form in which every store returns them. */
export const AllowedGroups = z.string().transform((text, context): string[] => {
  const groups = splitList(text.normalize('NFC'), /,/)
  return groups.length > 0 ? groups : fail(context, 'must name at least one group; leave it out to let every viewer in')
})

export const ReturningViewers = z.enum(['continue', 'ask'], 'must be continue or ask')

export type AddressFields = ReturnType<typeof addressFields>

/**
 * The fields that hold addresses. Plain http is accepted on a laptop only: both the address and PUBLIC_URL must then be
 * loopback.
 * @param publicUrl null if PUBLIC_URL is missing or wrong, which is reported elsewhere.
 */
export function addressFields(publicUrl: URL | null) {
  const mayBeHttp = publicUrl === null || isLoopbackHost(publicUrl.hostname)
  const assertScheme = (text: string, isLoopback: (hostname: string) => boolean) => {
    const { protocol, hostname } = new URL(text)
    if (protocol === 'https:' || (mayBeHttp && isLoopback(hostname))) return
    throw new RangeError(
      'must be https: plain http is accepted only if this address and PUBLIC_URL are on localhost, 127.0.0.1 or [::1]',
    )
  }
  const playerAddress = z.string().transform((text, context): ReturnAddress => {
    try {
      const address = parsePlayerAddress(text)
      assertScheme(text, isLoopbackHost)
      return address
    } catch (error) {
      return fail(context, reasonOf(error))
    }
  })
  const playerOrigins = listField('must name at least one origin, such as https://player.example', (item): string => {
    const isOrigin = URL.canParse(item) && new URL(item).origin === item
    if (!isOrigin || !/^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?$/.test(item)) throw new RangeError(AN_ORIGIN)
    // Only browsers use these origins, so names that browsers resolve to this machine are safe.
    assertScheme(item, isLoopbackName)
    return item
  })
  const allowedAddress = (parse: (text: string) => AllowedAddress) => (item: string) => {
    const address = parse(item)
    assertScheme(item, isLoopbackHost)
    return address
  }
  const consumers = listField(null, allowedAddress(parseAllowedConsumer))
  const refAddresses = listField('must name at least one address', allowedAddress(parseRefAddress))
  const serviceKeyUrl = z.string('must be text').transform((text, context): string => {
    try {
      const address = parseKeyUrl(text)
      assertScheme(address, isLoopbackHost)
      return address
    } catch (error) {
      return fail(context, reasonOf(error))
    }
  })
  const link = z.string('must be text').transform((text, context): string => {
    try {
      return parseLink(text, (address) => assertScheme(address, isLoopbackHost))
    } catch (error) {
      return fail(context, reasonOf(error))
    }
  })
  const issuer = issuerField((text) => assertScheme(text, isLoopbackHost))
  // The host of PUBLIC_URL is the relying party id, which must be a domain (WebAuthn Level 3, 5.1.3).
  const isDomain = publicUrl === null || isIP(publicUrl.hostname.replace(/^\[|\]$/g, '')) === 0
  const passkeys = OnOff.refine(
    (isOn) => !isOn || isDomain,
    'needs a host name in PUBLIC_URL, because browsers keep no passkeys for IP addresses; on a laptop, use localhost',
  )
  return { playerAddress, playerOrigins, consumers, refAddresses, serviceKeyUrl, link, issuer, passkeys }
}

/**
 * Refuses passkeys at an entry point without a password form: viewers create a passkey after typing the password.
 * @param names of the two settings, for the message.
 */
export function checkedPasskeys(
  hasPasskeys: boolean,
  sso: SsoSettings | null,
  context: z.RefinementCtx,
  [name, ssoOnly]: readonly [string, string],
): boolean {
  if (hasPasskeys && sso?.isOnly) {
    context.addIssue({ code: 'custom', path: [name], message: `needs the password form: turn off ${ssoOnly}` })
  }
  return hasPasskeys
}

/** Parses the address of a page for viewers, or of a mailbox: `https:` or `mailto:`. @throws RangeError */
function parseLink(text: string, assertWebScheme: (text: string) => void): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^[^\s\p{C}]{1,2048}$/u.test(text) || !/^(https?|mailto):$/.test(url.protocol)) {
    throw new RangeError('must be an https: or mailto: address')
  }
  if (url.protocol === 'mailto:') {
    if (!/^[^@]+@[^@]+$/.test(url.pathname))
      throw new RangeError('must be mailto: and an address, such as mailto:help@example.com')
    return url.href
  }
  assertWebScheme(text)
  if (url.username !== '' || url.password !== '') throw new RangeError('must not contain a user name or a password')
  return url.href
}
