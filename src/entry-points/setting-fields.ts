import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { faultInName } from '../hash-lock/authentication-response.ts'
import {
  type AllowedConsumer,
  parseAllowedConsumer,
  parsePlayerAddress,
  type ReturnAddress,
} from '../hash-lock/return-address.ts'
import { isLoopbackHost, isLoopbackName } from '../settings/fields.ts'

/**
 * The parts that settings are made of. Each message is the end of a sentence that begins with the setting's name. None
 * repeats a value: a secret may have been put in the wrong place, and the message ends up in a log.
 */

const MOST_PARAMETERS = 10
const SECRET_BITS = 128
/** Of 32 random hexadecimal digits, one in a million million has fewer. */
const FEWEST_DIFFERENT_CHARACTERS = 6
const MAKE_A_SECRET = 'make one with: npm run -s viewer-auth -- secret generate'

/** This app's own origin. Cookies are Secure always, and plain http is a secure context only on a loopback address. */
export const PublicUrl = z.string().transform((text, context): URL => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/.test(url.hostname)) {
    return fail(context, 'must be an https address, such as https://login.example.com')
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    return fail(context, 'must be an origin alone, such as https://login.example.com, without a path or anything else')
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return fail(context, 'must be https: plain http is possible on localhost, 127.0.0.1 and [::1] only')
  }
  return url
})

/** A secret that cannot be searched for: one captured response is enough to try thousands of millions a second. */
export const Secret = z.string().transform((text, context): string => {
  const fault = faultInSecret(text)
  return fault === null ? text : fail(context, fault)
})

/** For what is missing: the sentence says what it is, and how to come by one. */
export const SECRET_MISSING = `is required: ${MAKE_A_SECRET}`

function faultInSecret(secret: string): string | null {
  if (/\p{Cc}/u.test(secret) || !secret.isWellFormed()) return 'holds a control character'
  if (secret !== secret.trim()) return 'begins or ends with a space, which is easily lost on the way to the other side'
  // A .env file may have them, and Node takes them off; `docker run --env-file` hands them on.
  if (/^(["'`]).*\1$/s.test(secret)) return 'is between quotation marks, which count as part of it: take them away'
  // Digits alone may be hexadecimal ones by chance.
  const alphabet = /^[0-9a-f]+$/i.test(secret) ? 16 : /^[0-9a-z]+$/i.test(secret) ? 62 : 94
  if (secret.length * Math.log2(alphabet) < SECRET_BITS) {
    return `is too short: it must have ${SECRET_BITS} random bits at least; ${MAKE_A_SECRET}`
  }
  if (looksMadeUp(secret)) {
    return `does not look random: it must have ${SECRET_BITS} random bits at least; ${MAKE_A_SECRET}`
  }
  return null
}

/** A word from an example, few characters, one block again and again, or characters that count up or down. */
function looksMadeUp(secret: string): boolean {
  const codes = [...secret].map((character) => character.codePointAt(0) ?? 0)
  const steps = codes.slice(1).filter((code, index) => Math.abs(code - (codes[index] ?? 0)) <= 1)
  return (
    /change.?me|example|password/i.test(secret) ||
    new Set(codes).size < FEWEST_DIFFERENT_CHARACTERS ||
    /^(.+?)\1+$/s.test(secret) ||
    steps.length > 0.75 * codes.length
  )
}

/** A field without which the app cannot start; `missing` is the sentence for that. */
export function required<T>(field: z.ZodType<T, string>, missing: string): z.ZodType<T> {
  return z.string(missing).pipe(field)
}

/** `name=attribute`, comma-separated, in the order in which the service hashes them. */
export const HashParameters = z.string().transform((text, context) => {
  const items = listOf(text)
  if (items.length === 0 || items.length > MOST_PARAMETERS) {
    return fail(context, `must list 1 to ${MOST_PARAMETERS} parameters, as in user=username`)
  }
  const parameters: { name: string; attribute: string }[] = []
  for (const [index, item] of items.entries()) {
    const [name = '', attribute = '', ...rest] = item.split('=')
    const fault = name === '' || attribute === '' || rest.length > 0 ? 'is not of this form' : faultInName(name)
    if (fault === null) parameters.push({ name, attribute })
    else if (fault.startsWith('is not'))
      fail(context, `must list name=attribute, as in user=username: item ${index + 1} ${fault}`)
    else fail(context, `: the parameter name in item ${index + 1} ${fault}`)
  }
  const names = new Set(parameters.map(({ name }) => name))
  return names.size === parameters.length ? parameters : fail(context, 'names a parameter twice')
})

const AN_ORIGIN =
  'must be an origin as browsers write it, such as https://player.example: without a path, a slash at the end, ' +
  'a wildcard, a default port or capital letters'

/** The fields that hold addresses. Plain http is for a laptop: theirs and this app's must both be loopback then. */
export function addressFields(publicUrl: URL | null) {
  // Without a PUBLIC_URL there is nothing to compare with: that it is missing is said once, and elsewhere.
  const mayBeHttp = publicUrl === null || isLoopbackHost(publicUrl.hostname)
  const assertScheme = (text: string, isLoopback: (hostname: string) => boolean) => {
    const { protocol, hostname } = new URL(text)
    if (protocol === 'https:' || (mayBeHttp && isLoopback(hostname))) return
    throw new RangeError(
      'must be https: plain http is accepted only where both it and PUBLIC_URL are on localhost, 127.0.0.1 or [::1]',
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
  const playerOrigins = listField('must name one origin at least, such as https://player.example', (item): string => {
    const isOrigin = URL.canParse(item) && new URL(item).origin === item
    if (!isOrigin || !/^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?$/.test(item)) throw new RangeError(AN_ORIGIN)
    assertScheme(item, isLoopbackName)
    return item
  })
  const consumers = listField(null, (item): AllowedConsumer => {
    const consumer = parseAllowedConsumer(item)
    assertScheme(item, isLoopbackHost)
    return consumer
  })
  return { playerAddress, playerOrigins, consumers }
}

/** In the canonical form (NFC) that every store gives a viewer's groups: two spellings of one look are one group. */
export const AllowedGroups = z.string().transform((text, context): string[] => {
  const groups = listOf(text.normalize('NFC'), /,/)
  return groups.length > 0 ? groups : fail(context, 'must name one group at least; leave it out to let everyone watch')
})

/** A list whose items are parsed one by one, so that every wrong one is named. `ifEmpty` null allows an empty list. */
function listField<T>(ifEmpty: string | null, parse: (item: string) => T) {
  return z.string().transform((text, context): T[] => {
    const items = listOf(text)
    if (items.length === 0 && ifEmpty !== null) return fail(context, ifEmpty)
    return items.flatMap((item, index) => {
      try {
        return [parse(item)]
      } catch (error) {
        return fail(context, `: item ${index + 1} ${reasonOf(error)}`)
      }
    })
  })
}

/**
 * What is in a file that a setting names, or why there is nothing, as the end of a sentence that begins with the
 * setting's name. The path is not repeated: a secret itself may have been put in its place.
 */
export function readNamedFile(path: string): { text: string } | { fault: string } {
  try {
    return { text: readFileSync(path, 'utf8') }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { fault: FILE_FAULTS[code] ?? `names a file that cannot be read (${code})` }
  }
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that does not exist',
  EACCES: 'names a file that this user may not read',
  EISDIR: 'names a folder, and must name a file',
}

/** The whole sentence: the setting or field, the item of a list where it is one, and the end that a field's message is. */
export function sentenceOf([name, item]: readonly PropertyKey[], message: string): string {
  const subject = [
    ...(name === undefined ? [] : [String(name)]),
    ...(item === undefined ? [] : [`item ${Number(item) + 1}`]),
  ]
  return `${subject.join(': ')}${message.startsWith(':') || subject.length === 0 ? '' : ' '}${message}`
}

/** Items between commas or white space. */
function listOf(text: string, separator = /[\s,]+/): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/** Of the functions that parse an address: the end of a sentence, which repeats nothing of it. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return error.message
  throw error
}
