import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { EmulatorStartError } from '../companion.ts'
import { LockParameters } from '../rest/lock-settings.ts'
import { SERVICE_FEATURES } from '../service-features.ts'
import { randomKey } from './default-seed.ts'
import type { Seed, SeedDefaults } from './seed.ts'
import { wrongReferences } from './seed-references.ts'

const Name = z.string('must be a text').min(1, 'must not be empty').max(255, 'must not be longer than 255 characters')
const Id = z
  .union([z.string(), z.int().transform(String)], 'must be a number, such as 1001')
  .pipe(z.string().regex(/^[1-9]\d{0,14}$/, 'must be a number from 1, such as 1001'))
const Key = z.string('must be a text').regex(/^[0-9a-f]{40}$/, 'must be 40 hexadecimal digits in lower case')
const Address = z
  .string('must be a text')
  .refine((text) => URL.canParse(text) && !/[\s#]/.test(text), 'must be an absolute address without blanks and "#"')
const EntryPoint = Address.refine((text) => /^https?:/i.test(text), 'must be an http or https address')
const PublicKey = z.string('must be a text').superRefine((text, context) => {
  for (const fault of SERVICE_FEATURES.flatMap(({ faultInKey }) => faultInKey(text) ?? [])) context.addIssue(fault)
})
const Time = z.iso.datetime({ offset: true, error: 'must be a time with offset, such as 2026-11-21T10:00:00+00:00' })
const Uuid = z.uuid('must be a UUID')
const Position = z.int('must be whole seconds').min(0, 'must not be negative').nullable().default(null)
const Account = z.strictObject({ username: Name, password: Name })
const ContentRef = {
  content_type: z.enum(['live', 'recorded'], 'must be live or recorded'),
  content_id: Id,
}
const Channel = z.strictObject({ id: Id, title: Name, owner: Name, locked: z.boolean().optional() })

/**
 * The seed of an emulator, from a file. Ids, secrets and keys that are left out are generated once. `/emulator/seed`
 * returns a valid seed file: its `locked` and `redirect_uri_prefix` only repeat what other fields say.
 */
const SeedFile = z.strictObject({
  clients: z
    .array(
      z.strictObject({
        client_id: Key.optional(),
        client_secret: Key.optional(),
        name: Name.optional(),
        redirect_uri_prefix: Address.optional(),
        redirect_uri_prefixes: z.array(Address, 'must be a list of addresses').min(1, 'must not be empty'),
        owner: Name,
      }),
    )
    .min(1, 'must not be empty'),
  users: z.array(Account).min(1, 'must not be empty'),
  channels: z.array(Channel).default([]),
  /** Shown by `/emulator/seed`, and ignored in a file. */
  provider: z.unknown().optional(),
  /** Without an owner, a video belongs to the owner of its channel. */
  videos: z.array(Channel.extend({ channel_id: Id, owner: Name.optional() })).default([]),
  viewers: z.array(Account).default([]),
  locks: z
    .array(
      z.strictObject({
        ...ContentRef,
        ...LockParameters.shape,
        url: EntryPoint.optional(),
        secret: LockParameters.shape.secret.min(1, 'must not be empty').optional(),
      }),
    )
    .default([]),
  /** Optional, not empty by default: a default would change the fingerprint of existing files. */
  viewer_auth: z.array(z.strictObject({ ...ContentRef, auth_url: EntryPoint, public_key: PublicKey })).optional(),
  views: z
    .array(
      z.strictObject({
        view_id: Uuid.optional(),
        ...ContentRef,
        started_at: Time,
        /** Null while the viewer watches. */
        finished_at: Time.nullable().default(null),
        /** Null for a guest. */
        viewer_identifier: Name.nullable().default(null),
        client_id: Uuid.optional(),
        view_session_id: Uuid.optional(),
        from: Position,
        to: Position,
        view_type: z.enum(['onsite', 'offsite'], 'must be onsite or offsite').default('offsite'),
        country: Name.default('Unknown'),
        city: Name.default('Unknown'),
        user_agent: z.string().max(512).default(''),
      }),
    )
    .default([]),
  generated_views: z.int().min(0).max(10_000_000).default(0),
})

export type SeedFile = z.infer<typeof SeedFile>

export type SeedFileCheck =
  | { readonly ok: true; readonly file: SeedFile }
  /** Sentences that begin with the place of the mistake, such as "clients[0].owner". */
  | { readonly ok: false; readonly mistakes: readonly string[] }

/** Checks the content of a seed file. Lists all mistakes at once, also of references between its parts. */
export function checkSeedFile(json: unknown): SeedFileCheck {
  const parsed = SeedFile.safeParse(json)
  const mistakes = (parsed.error?.issues ?? []).map(({ path, message }) => `${placeOf(path)} ${message}`)
  const all = [...mistakes, ...wrongReferences(json).map(({ path, message }) => `${placeOf(path)} ${message}`)]
  return parsed.success && all.length === 0 ? { ok: true, file: parsed.data } : { ok: false, mistakes: all }
}

/** @throws EmulatorStartError with all mistakes if the file cannot be read or is not a seed. */
export function readSeedFile(path: string): SeedFile {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    // The message of JSON.parse() quotes the file, which holds secrets.
    const position = cause instanceof SyntaxError ? (/ \(line \d+ column \d+\)/.exec(cause.message)?.[0] ?? '') : ''
    const fault = cause instanceof SyntaxError ? `is not JSON${position}` : 'cannot be read'
    throw new EmulatorStartError(`The seed file ${path} ${fault}`, { cause })
  }
  const checked = checkSeedFile(json)
  if (checked.ok) return checked.file
  throw new EmulatorStartError(
    `The seed file ${path} has mistakes:\n${checked.mistakes.map((line) => `  ${line}`).join('\n')}`,
  )
}

/** Completes a seed file with generated ids and secrets, and with the settings for locks without an address. */
export function planSeedOfFile(file: SeedFile, { lock, viewers }: SeedDefaults): Seed {
  const defaults = { url: lock?.url ?? 'http://localhost:3000/', secret: lock?.secret ?? randomKey() }
  const locks = file.locks.map(({ url = defaults.url, secret = defaults.secret, ...rest }) => ({
    ...rest,
    url,
    secret,
  }))
  const viewerAuth = file.viewer_auth ?? []
  const isLocked = (type: 'live' | 'recorded', id: string) =>
    [...locks, ...viewerAuth].some(({ content_type, content_id }) => content_type === type && content_id === id)
  const ownerOf = new Map(file.channels.map(({ id, owner }) => [id, owner]))
  return {
    clients: file.clients.map((client) => ({
      client_id: client.client_id ?? randomKey(),
      client_secret: client.client_secret ?? randomKey(),
      name: client.name ?? `Demo client of ${client.owner}`,
      redirect_uri_prefix: client.redirect_uri_prefixes[0] ?? '',
      redirect_uri_prefixes: client.redirect_uri_prefixes,
      owner: client.owner,
    })),
    users: file.users,
    channels: file.channels.map((channel) => ({ ...channel, locked: isLocked('live', channel.id) })),
    videos: file.videos.map((video) => ({
      ...video,
      owner: video.owner ?? ownerOf.get(video.channel_id) ?? '',
      locked: isLocked('recorded', video.id) || isLocked('live', video.channel_id),
    })),
    viewers: viewers ? [...viewers] : file.viewers,
    locks,
    viewer_auth: viewerAuth,
    views: file.views.map((view) => ({
      ...view,
      view_id: view.view_id ?? randomUUID(),
      client_id: view.client_id ?? randomUUID(),
      view_session_id: view.view_session_id ?? randomUUID(),
    })),
    generated_views: file.generated_views,
  }
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'The file' : z.core.toDotPath(path)
}
