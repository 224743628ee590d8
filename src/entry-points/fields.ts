import { z } from 'zod'
import { brandFields } from '../brand/fields.ts'
import { faultInName } from '../hash-lock/authentication-response.ts'
import {
  type AllowedAddress,
  parseAllowedConsumer,
  parsePlayerAddress,
  type ReturnAddress,
} from '../hash-lock/return-address.ts'
import {
  fail,
  isLoopbackHost,
  isLoopbackName,
  listField,
  OnOff,
  reasonOf,
  required,
  splitList,
  wholeNumber,
} from '../settings/fields.ts'
import { SECRET_MISSING, Secret } from '../settings/secret.ts'
import type { HashParameter } from './entry-point.ts'
import type { AddressRules } from './feature-settings.ts'

const LONGEST_LIFETIME_SECONDS = 31_536_000
const DEFAULT_LIFETIME_SECONDS = 3600
const DEFAULT_PARAMETERS: readonly HashParameter[] = [{ name: 'user', attribute: 'username' }]
const RETURN_URL_MISSING =
  "is required: the video service's {player_return_url}, which receives the authentication response"
const ORIGINS_MISSING =
  'is required: every origin that may frame the screens, those of the player and of each page that embeds the player'

const MOST_PARAMETERS = 10
const AN_ORIGIN =
  'must be an origin as browsers write it, such as https://player.example: no path, no slash at the end, no wildcard, ' +
  'no default port, no capital letters'

/** `name=attribute` items, comma-separated, in the order in which the service hashes the parameters. */
const HashParameters = z.string().transform((text, context): HashParameter[] => {
  const items = splitList(text.replaceAll(/\s*=\s*/g, '='))
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

/** Group names in NFC, the form in which every store returns them. A comma in a name is written as `\,`. */
const AllowedGroups = z.string().transform((text, context): string[] => {
  const groups = splitList(text.normalize('NFC'), /(?<!\\),/).map((group) => group.replaceAll('\\,', ','))
  return groups.length > 0 ? groups : fail(context, 'must name at least one group; leave it out to let every viewer in')
})

/**
 * Returns the rules for addresses. Plain http is for a laptop only: both the address and PUBLIC_URL must be loopback.
 * @param publicUrl null if PUBLIC_URL is missing or wrong, which is reported elsewhere.
 */
export function addressRules(publicUrl: URL | null): AddressRules {
  const mayBeHttp = publicUrl === null || isLoopbackHost(publicUrl.hostname)
  const assertWith = (isLoopback: (hostname: string) => boolean) => (address: string) => {
    const { protocol, hostname } = new URL(address)
    if (protocol === 'https:' || (mayBeHttp && isLoopback(hostname))) return
    throw new RangeError(
      'must be https: plain http is accepted only if this address and PUBLIC_URL are on localhost, 127.0.0.1 or [::1]',
    )
  }
  return { publicUrl, assertScheme: assertWith(isLoopbackHost), assertBrowserScheme: assertWith(isLoopbackName) }
}

/** The settings that every entry point has. */
export function commonSettings({ assertScheme, assertBrowserScheme }: AddressRules) {
  const playerOrigins = listField('must name at least one origin, such as https://player.example', (item): string => {
    const isOrigin = URL.canParse(item) && new URL(item).origin === item
    if (!isOrigin || !/^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?$/.test(item)) throw new RangeError(AN_ORIGIN)
    // Only browsers use these origins.
    assertBrowserScheme(item)
    return item
  })
  return {
    playerOrigins: required(playerOrigins, ORIGINS_MISSING).meta({ inFile: 'list' }),
    allowedGroups: AllowedGroups.optional().meta({
      inFile: 'list',
      item: /\S/,
      protects: 'without it, every viewer may watch',
    }),
    screenScript: OnOff.default(true),
    ...brandFields(addressField((text) => parseLink(text, assertScheme))),
  }
}

/** The settings of an entry point whose player gets a hash. */
export function hashSettings({ assertScheme }: AddressRules) {
  const playerAddress = addressField((text): ReturnAddress => {
    const address = parsePlayerAddress(text)
    assertScheme(text)
    return address
  })
  const consumers = listField(null, (item): AllowedAddress => {
    const address = parseAllowedConsumer(item)
    assertScheme(item)
    return address
  })
  return {
    secret: required(Secret, SECRET_MISSING).meta({ isSecret: true, environmentName: 'HASH_SECRET' }),
    secretPrevious: Secret.optional().meta({ isSecret: true, environmentName: 'HASH_SECRET_PREVIOUS' }),
    hashParameters: HashParameters.default([...DEFAULT_PARAMETERS]).meta({ inFile: 'list' }),
    hashLifetimeSeconds: wholeNumber(0, LONGEST_LIFETIME_SECONDS)
      .default(DEFAULT_LIFETIME_SECONDS)
      .meta({ inFile: 'number' }),
    playerReturnUrl: required(playerAddress, RETURN_URL_MISSING),
    hashConsumers: consumers.default([]).meta({ inFile: 'list' }),
  }
}

/** Builds the field of an address. @param parse throws RangeError with the end of a sentence. */
export function addressField<T>(parse: (text: string) => T) {
  return z.string('must be text').transform((text, context): T => {
    try {
      return parse(text)
    } catch (error) {
      return fail(context, reasonOf(error))
    }
  })
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
