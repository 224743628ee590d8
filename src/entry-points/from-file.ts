import { resolve } from 'node:path'
import { z } from 'zod'
import { brandFields, brandOf } from '../brand/fields.ts'
import { ssoFileFields, ssoOf } from '../features/sso/settings/fields.ts'
import {
  ContentKey,
  DEFAULT_SUBJECT_ATTRIBUTE,
  KEY_URL_MISSING,
  REF_ADDRESSES_MISSING,
  TokenSubject,
  ViewerAuth,
} from '../features/token/fields.ts'
import { fail, OnOff, required, sentenceOf } from '../settings/fields.ts'
import { readNamedFile } from '../settings/named-file.ts'
import { Secret } from '../settings/secret.ts'
import { similarField } from '../settings/unknown-settings.ts'
import type { EntryPoint, HashEntryPoint, TokenEntryPoint } from './entry-point.ts'
import {
  type AddressFields,
  AllowedGroups,
  checkedPasskeys,
  DEFAULT_LIFETIME_SECONDS,
  DEFAULT_PARAMETERS,
  HashParameters,
  LONGEST_LIFETIME_SECONDS,
  ORIGINS_MISSING,
  RETURN_URL_MISSING,
  ReturningViewers,
} from './fields.ts'

const NAME = 'must be the NAME of /e/NAME: 1 to 64 small letters, digits and "-"; the first character is not "-"'
const LIFETIME = `must be a whole number from 0 to ${LONGEST_LIFETIME_SECONDS}`

/** Builds the schema of one entry. A field such as `secretFile` names a file with the secret, instead of `secret`. */
function entrySchema<T extends z.ZodRawShape>(addresses: AddressFields, own: T, other: readonly string[]) {
  const name = z.string(NAME).regex(/^[a-z0-9][a-z0-9-]{0,63}$/, NAME)
  const fields = { name, ...own, ...commonFields(addresses) }
  return z.strictObject(fields, {
    error: ({ code, keys = [] }) =>
      code === 'unrecognized_keys' ? unknownFields(keys as string[], Object.keys(fields), other) : 'must be an object',
  })
}

function commonFields(addresses: AddressFields) {
  return {
    viewerAuth: ViewerAuth.optional(),
    playerOrigins: list(addresses.playerOrigins, ORIGINS_MISSING),
    allowedGroups: list(AllowedGroups, undefined, /^[^,]+$/).optional(),
    screenScript: OnOff.optional(),
    returningViewers: ReturningViewers.optional(),
    ...brandFields(addresses.link),
    ...ssoFileFields(addresses.issuer, list, ContentOfFile),
    passkeys: addresses.passkeys.optional(),
  }
}

function hashFields(addresses: AddressFields) {
  return {
    secret: z.string('must be text').pipe(Secret).optional(),
    secretFile: z.string('must be the path of a file').pipe(SecretFile).optional(),
    secretPrevious: z.string('must be text').pipe(Secret).optional(),
    secretPreviousFile: z.string('must be the path of a file').pipe(PreviousSecretFile).optional(),
    playerReturnUrl: required(addresses.playerAddress, RETURN_URL_MISSING),
    hashConsumers: list(addresses.consumers).optional(),
    hashParameters: list(HashParameters).optional(),
    hashLifetimeSeconds: z
      .number(LIFETIME)
      .int(LIFETIME)
      .min(0, LIFETIME)
      .max(LONGEST_LIFETIME_SECONDS, LIFETIME)
      .optional(),
  }
}

function tokenFields(addresses: AddressFields) {
  return {
    contentKey: ContentKey.optional(),
    contentKeyFile: ContentOfFile.pipe(ContentKey).optional(),
    serviceViewerKeyUrl: required(addresses.serviceKeyUrl, KEY_URL_MISSING),
    refAddresses: list(addresses.refAddresses, REF_ADDRESSES_MISSING),
    tokenSubject: TokenSubject.optional(),
  }
}

/** @param other the fields of the other version of viewer authentication. */
function unknownFields(names: readonly string[], known: readonly string[], other: readonly string[]): string {
  const unused = names.filter((name) => other.includes(name))
  if (unused.length > 0) return `has fields of the other viewerAuth: ${unused.join(', ')}; remove them`
  const named = names.map((name) => {
    const meant = similarField(name, known)
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`
  })
  return `has unknown fields: ${named.join(', ')}; src/entry-points/README.md lists all fields`
}

/** The content of a file that is not empty. */
const ContentOfFile = z.string('must be the path of a file').transform((path, context): string => {
  const read = readNamedFile(path)
  return 'text' in read ? read.text.trim() : fail(context, read.fault)
})

/** A file with a secret. */
const SecretFile = z.string().transform((path, context) => {
  const read = readNamedFile(path)
  const secret = 'text' in read ? Secret.safeParse(read.text.trim()) : null
  if (secret?.success === true) return { path, secret: secret.data }
  return fail(
    context,
    'fault' in read ? read.fault : `names a file with a secret that ${secret?.error.issues[0]?.message}`,
  )
})

/** A file with a secret, or an empty file. */
const PreviousSecretFile = z.string().transform((path, context) => {
  const read = readNamedFile(path)
  if ('text' in read && read.text.trim() === '') return { path, secret: null }
  const parsed = SecretFile.safeParse(path)
  return parsed.success ? parsed.data : fail(context, parsed.error.issues[0]?.message ?? '')
})

type FileResult = { entryPoints: EntryPoint[] } | { mistakes: string[] }

/**
 * Reads ENTRY_POINTS_FILE, a JSON array of objects. The entry point named `default` is served at `/`, the others at
 * `/e/NAME`. A relative `secretFile` is relative to the working directory, like every other path.
 * @returns the entry points, or a sentence for each mistake.
 */
export function readEntryPointsFile(file: string, addresses: AddressFields): FileResult {
  const read = readNamedFile(file)
  if ('fault' in read) return { mistakes: [`ENTRY_POINTS_FILE ${read.fault}`] }
  const json = parseJson(read.text)
  if (json === undefined) return { mistakes: ['ENTRY_POINTS_FILE names a file that is not JSON'] }
  if (!Array.isArray(json) || json.length === 0) {
    return { mistakes: ['ENTRY_POINTS_FILE must contain an array with at least one entry point'] }
  }
  return readEntries(json, addresses)
}

/** Returns the names and brands in ENTRY_POINTS_FILE, for a command that needs nothing else of it. Ignores mistakes. */
export function entryPointNames(file: string): string[] {
  const read = readNamedFile(file)
  const json = 'text' in read ? parseJson(read.text) : null
  const entries = (Array.isArray(json) ? json : []).map((item) => Given.parse(item))
  const names = entries.flatMap(({ name, brandName }) => [name, brandName])
  return names.filter((name) => typeof name === 'string')
}

function readEntries(items: readonly unknown[], addresses: AddressFields): FileResult {
  const readEntry = entryReader(addresses)
  const mistakes: string[] = []
  const entryPoints: EntryPoint[] = []
  const names = new Set<unknown>()
  const previousFiles = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    const report = (mistake: string) => mistakes.push(`ENTRY_POINTS_FILE, entry ${index + 1}: ${mistake}`)
    const given = Given.parse(item)
    const parsed = readEntry(item, given.viewerAuth)
    for (const { path, message } of parsed.error?.issues ?? []) report(sentenceOf(path, message))
    if (typeof item === 'object' && item !== null) mistakesInSecrets(given).forEach(report)
    if (isRepeated(given.name, names)) report('name is used by an earlier entry')
    // A change of one secret would give it to the other entry point too, even if the file is empty now.
    if (isRepeated(absolutePath(given.secretPreviousFile), previousFiles))
      report('secretPreviousFile is used by an earlier entry: give each entry its own file')
    if (parsed.success && parsed.data !== null) entryPoints.push(parsed.data)
  }
  return mistakes.length > 0 ? { mistakes } : { entryPoints }
}

/** Returns a function that parses an entry. Its result is null without a secret or key, which is reported elsewhere. */
function entryReader(addresses: AddressFields) {
  const [hash, token] = [hashFields(addresses), tokenFields(addresses)]
  const hashEntry = entrySchema(addresses, hash, Object.keys(token)).transform(toHashEntryPoint)
  const tokenEntry = entrySchema(addresses, token, Object.keys(hash)).transform(toTokenEntryPoint)
  return (item: unknown, viewerAuth: unknown) =>
    viewerAuth === 'token' ? tokenEntry.safeParse(item) : hashEntry.safeParse(item)
}

function mistakesInSecrets(given: z.output<typeof Given>): string[] {
  const mistakes: string[] = []
  const key = given.viewerAuth === 'token' ? 'contentKey' : 'secret'
  if ((given[key] === undefined) === (given[`${key}File`] === undefined)) {
    mistakes.push(`${key} or ${key}File is required, and not both`)
  }
  if (given.secretPrevious !== undefined && given.secretPreviousFile !== undefined) {
    mistakes.push('secretPrevious and secretPreviousFile are both set: remove one')
  }
  return mistakes
}

/** True if an earlier entry has this text. Adds the text to those of the earlier entries. */
function isRepeated(text: unknown, earlier: Set<unknown>): boolean {
  const isKnown = typeof text === 'string' && earlier.has(text)
  earlier.add(text)
  return isKnown
}

function absolutePath(path: unknown): string | undefined {
  return typeof path === 'string' ? resolve(path) : undefined
}

/** Parsed even if the rest of the entry is wrong, so that all mistakes are listed at once. */
const Given = z
  .looseObject({
    name: z.unknown(),
    viewerAuth: z.unknown(),
    contentKey: z.unknown(),
    contentKeyFile: z.unknown(),
    brandName: z.unknown(),
    secret: z.unknown(),
    secretFile: z.unknown(),
    secretPrevious: z.unknown(),
    secretPreviousFile: z.unknown(),
  })
  .partial()
  .catch({})

type CommonEntry = z.output<z.ZodObject<ReturnType<typeof commonFields>>> & { readonly name: string }
type HashEntry = CommonEntry & z.output<z.ZodObject<ReturnType<typeof hashFields>>>
type TokenEntry = CommonEntry & z.output<z.ZodObject<ReturnType<typeof tokenFields>>>

function toHashEntryPoint(entry: HashEntry, context: z.RefinementCtx): HashEntryPoint | null {
  const { secretFile, secretPreviousFile } = entry
  const lifetimeSeconds = entry.hashLifetimeSeconds ?? DEFAULT_LIFETIME_SECONDS
  const common = commonOf(entry, lifetimeSeconds, context)
  const secret = entry.secret ?? secretFile?.secret
  if (secret === undefined) return null
  return {
    ...common,
    viewerAuth: 'hash',
    secret,
    previousSecret: entry.secretPrevious ?? secretPreviousFile?.secret ?? null,
    secretFiles:
      secretFile && secretPreviousFile ? { secret: secretFile.path, previous: secretPreviousFile.path } : null,
    parameters: entry.hashParameters ?? DEFAULT_PARAMETERS,
    lifetimeSeconds,
    playerAddress: entry.playerReturnUrl,
    consumers: entry.hashConsumers ?? [],
  }
}

function toTokenEntryPoint(entry: TokenEntry, context: z.RefinementCtx): TokenEntryPoint | null {
  const common = commonOf(entry, 0, context)
  const contentKey = entry.contentKey ?? entry.contentKeyFile
  if (contentKey === undefined) return null
  return {
    ...common,
    viewerAuth: 'token',
    contentKey,
    serviceKeyUrl: entry.serviceViewerKeyUrl,
    refAddresses: entry.refAddresses,
    parameters: [{ name: 'sub', attribute: entry.tokenSubject ?? DEFAULT_SUBJECT_ATTRIBUTE }],
  }
}

/** @param lifetimeSeconds of a response; 0 for one that never expires, and for tokens. */
function commonOf(entry: CommonEntry, lifetimeSeconds: number, context: z.RefinementCtx) {
  const sso = ssoOf(entry, lifetimeSeconds, context)
  return {
    name: entry.name,
    basePath: entry.name === 'default' ? '' : `/e/${entry.name}`,
    playerOrigins: entry.playerOrigins,
    allowedGroups: entry.allowedGroups ?? null,
    returningViewers: entry.returningViewers ?? ('continue' as const),
    hasScript: entry.screenScript ?? true,
    brand: brandOf(entry, context),
    sso,
    hasPasskeys: checkedPasskeys(entry.passkeys ?? false, sso, context, ['passkeys', 'ssoOnly']),
  }
}

/** @returns undefined for a text that is not JSON. A SyntaxError would repeat a part of the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/** Turns a field that is one text in the environment into an array in the file. */
function list<T>(field: z.ZodType<T, string>, missing = 'must be an array of texts', item = /^[^\s,]+$/): z.ZodType<T> {
  return z
    .array(z.string('must be text').regex(item, 'must be one item, not empty and without a comma'), missing)
    .transform((items) => items.join(','))
    .pipe(field)
}
