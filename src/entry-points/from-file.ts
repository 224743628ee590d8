import { z } from 'zod'
import type { EntryPoint } from './entry-point.ts'
import {
  AllowedGroups,
  type addressFields,
  HashParameters,
  readNamedFile,
  required,
  Secret,
  sentenceOf,
} from './setting-fields.ts'

export const LONGEST_LIFETIME_SECONDS = 31_536_000
export const RETURN_URL_MISSING =
  "is required: the video service's {player_return_url}, where the player takes the response"
export const ORIGINS_MISSING =
  'is required: the origins that may frame the screens, those of the player and of every page that embeds it'

const NAME = 'must be the name in /e/NAME: 1 to 64 small letters, digits and "-", the first of them no "-"'
const LIFETIME = `must be a whole number from 0 to ${LONGEST_LIFETIME_SECONDS}`

/** `secretFile` in the place of `secret` names a file that holds it. Lists are arrays of texts. */
function entryPointSchema(addresses: ReturnType<typeof addressFields>) {
  const fields = {
    name: z.string(NAME).regex(/^[a-z0-9][a-z0-9-]{0,63}$/, NAME),
    secret: z.string('must be text').pipe(Secret).optional(),
    secretFile: z.string('must be the path of a file').pipe(SecretFile).optional(),
    playerReturnUrl: required(addresses.playerAddress, RETURN_URL_MISSING),
    playerOrigins: list(addresses.playerOrigins, ORIGINS_MISSING),
    hashConsumers: list(addresses.consumers).optional(),
    hashParameters: list(HashParameters).optional(),
    hashLifetimeSeconds: z
      .number(LIFETIME)
      .int(LIFETIME)
      .min(0, LIFETIME)
      .max(LONGEST_LIFETIME_SECONDS, LIFETIME)
      .optional(),
    allowedGroups: list(AllowedGroups, undefined, /^[^,]+$/).optional(),
  }
  return z.strictObject(fields, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has fields that mean nothing here: ${(issue.keys ?? []).join(', ')}; it may have ${Object.keys(fields).join(', ')}`
        : 'must be an object',
  })
}

const SecretFile = z.string().transform((file, context): string => {
  const read = readNamedFile(file)
  const secret = 'text' in read ? Secret.safeParse(read.text.trim()) : null
  if (secret?.success === true) return secret.data
  const fault = 'fault' in read ? read.fault : `names a file with a secret that ${secret?.error.issues[0]?.message}`
  context.addIssue({ code: 'custom', message: fault })
  return z.NEVER
})

/**
 * The entry points of `ENTRY_POINTS_FILE`: a JSON array of objects. One that is named `default` is served at `/`, the
 * others at `/e/NAME`. A relative `secretFile` is looked for where the app was started, as every other path.
 * @returns the entry points, or every mistake as a sentence of its own.
 */
export function readEntryPointsFile(
  file: string,
  addresses: ReturnType<typeof addressFields>,
): { entryPoints: EntryPoint[] } | { mistakes: string[] } {
  const read = readNamedFile(file)
  const json = 'text' in read ? parseJson(read.text) : null
  const fault =
    'fault' in read
      ? read.fault
      : json === undefined
        ? 'names a file that is not JSON'
        : Array.isArray(json) && json.length > 0
          ? null
          : 'must hold an array of one entry point at least'
  if (fault !== null) return { mistakes: [`ENTRY_POINTS_FILE ${fault}`] }
  return readEntries(json as readonly unknown[], addresses)
}

function readEntries(
  items: readonly unknown[],
  addresses: ReturnType<typeof addressFields>,
): { entryPoints: EntryPoint[] } | { mistakes: string[] } {
  const schema = entryPointSchema(addresses)
  const mistakes: string[] = []
  const entryPoints: EntryPoint[] = []
  const names = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    const say = (mistake: string) => mistakes.push(`ENTRY_POINTS_FILE, entry ${index + 1}: ${mistake}`)
    const { name, secret, secretFile } = Given.parse(item)
    const parsed = schema.safeParse(item)
    for (const { path, message } of parsed.error?.issues ?? []) say(sentenceOf(path, message))
    const isObject = typeof item === 'object' && item !== null
    if (isObject && (secret === undefined) === (secretFile === undefined))
      say('secret or secretFile is required, and only one of them')
    if (typeof name === 'string' && names.has(name)) say('name is that of an entry before it')
    names.add(name)
    const key = parsed.data?.secret ?? parsed.data?.secretFile
    if (parsed.success && key !== undefined) entryPoints.push(toEntryPoint(parsed.data, key))
  }
  return mistakes.length > 0 ? { mistakes } : { entryPoints }
}

/** What is looked at whether or not the rest of an entry is right, so that all its mistakes are named at once. */
const Given = z.looseObject({ name: z.unknown(), secret: z.unknown(), secretFile: z.unknown() }).partial().catch({})

type Entry = z.output<ReturnType<typeof entryPointSchema>>

function toEntryPoint(entry: Entry, secret: string): EntryPoint {
  return {
    name: entry.name,
    basePath: entry.name === 'default' ? '' : `/e/${entry.name}`,
    secret,
    parameters: entry.hashParameters ?? [{ name: 'user', attribute: 'username' }],
    lifetimeSeconds: entry.hashLifetimeSeconds ?? 3600,
    playerAddress: entry.playerReturnUrl,
    playerOrigins: entry.playerOrigins,
    consumers: entry.hashConsumers ?? [],
    allowedGroups: entry.allowedGroups ?? null,
  }
}

/** @returns undefined for what is not JSON; SyntaxError would repeat a part of it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/** In the file a list is an array; in the environment it is one text. */
function list<T>(field: z.ZodType<T, string>, missing = 'must be an array of texts', item = /^[^\s,]+$/): z.ZodType<T> {
  return z
    .array(z.string('must be text').regex(item, 'must be one item, not empty and without a comma'), missing)
    .transform((items) => items.join(','))
    .pipe(field)
}
