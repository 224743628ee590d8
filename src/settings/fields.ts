import { z } from 'zod'
import { orUndefined } from '../errors.ts'

/**
 * The fields that settings are built from. A message is the end of a sentence that starts with the setting's name. No
 * message repeats the value: the value may be a secret in the wrong place, and messages are logged.
 */

/** The environment of a process, or the part of it that is not empty. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A missing or wrong setting. */
export interface SettingMistake {
  readonly setting: string
  /** The end of a sentence that starts with the setting's name. */
  readonly message: string
}

export type ReadSettings<T> =
  | { readonly ok: true; readonly settings: T }
  | { readonly ok: false; readonly mistakes: readonly SettingMistake[] }

/** A required field. `missing` is the message for a missing setting. */
export function required<T>(field: z.ZodType<T, string>, missing: string): z.ZodType<T> {
  return z.string(missing).pipe(field)
}

/** A whole number from `least` to `most`, both included. */
export function wholeNumber(least: number, most: number) {
  return z.string().transform((text, context): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most ? value : fail(context, `must be a whole number from ${least} to ${most}`)
  })
}

/** True for `on`. */
export const OnOff = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on')

/** One line of text, without characters that change how the text around it is read. */
export function lineField(mostCharacters: number) {
  return z
    .string('must be text')
    .trim()
    .min(1, 'must not be empty')
    .max(mostCharacters, `must have at most ${mostCharacters} characters`)
    .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u, 'must be one line without control characters')
}

const FROM_KUBERNETES =
  'contains an address, which Kubernetes injects for a Service of that name. Set a port number, rename the Service, ' +
  'or set enableServiceLinks: false in the pod'

/** A port number; 0 lets the system choose one. */
export const PortNumber = z
  .string()
  .refine((text) => !/^(tcp|udp|sctp):\/\//.test(text), FROM_KUBERNETES)
  .pipe(wholeNumber(0, 65_535))

/**
 * A list whose items are parsed one by one, so that every wrong item is reported.
 * @param ifEmpty the message for an empty list; null allows an empty list.
 * @param parse throws RangeError, with the end of a sentence, for an item that it refuses.
 */
export function listField<T>(ifEmpty: string | null, parse: (item: string) => T) {
  return z.string().transform((text, context): T[] => {
    const items = splitList(text)
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

/** Splits a list into its items, without empty ones. By default commas and white space separate them. */
export function splitList(text: string, separator = /[\s,]+/): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Returns the message of a RangeError that a parser threw. @throws any other error again. */
export function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return error.message
  throw error
}

/** Refuses a value in a zod transform. */
export function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/** Builds the sentence for a mistake: the setting or field, the list item if there is one, and the message. */
export function sentenceOf([name, item]: readonly PropertyKey[], message: string): string {
  if (name === undefined) return message
  const subject = item === undefined ? String(name) : `${String(name)}: item ${Number(item) + 1}`
  return `${subject}${message.startsWith(':') ? '' : ' '}${message}`
}

/** Returns the mistakes of a zod error by setting. */
export function mistakesOf(error: z.ZodError): SettingMistake[] {
  return error.issues.map(({ path, message }) => ({ setting: String(path[0]), message }))
}

/** Decodes a percent-encoded part of an address. Null if the encoding is wrong or it contains a control character. */
export function decodedPart(part: string): string | null {
  const text = orUndefined(() => decodeURIComponent(part))
  return text === undefined || /\p{Cc}/u.test(text) ? null : text
}

/** True for `localhost`, 127.0.0.0/8 and ::1, with or without brackets: these need no name server. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^(\[::1\]|::1|127\.\d+\.\d+\.\d+)$/.test(host)
}

/** True for a loopback host and for names below `localhost`, which browsers resolve to this machine (RFC 6761, 6.3). */
export function isLoopbackName(host: string): boolean {
  return isLoopbackHost(host) || host.endsWith('.localhost')
}
