import { z } from 'zod'
import type { RestApi } from './rest-api.ts'
import { ServiceRefusal, UnexpectedAnswer } from './service-errors.ts'
import type { ServiceAnswer } from './service-request.ts'
import { readJson } from './transport.ts'

/** What a lock protects. A video without its own lock has the lock of its channel. */
export interface LockPlace {
  readonly kind: 'channel' | 'video'
  readonly id: string
}

/** The values that set a lock: the address of the entry point and the shared secret. */
export interface LockSettings {
  readonly url: string
  readonly secret: string
}

/** A lock as the service shows it. The lock of a channel does not show its secret. */
export interface Lock {
  readonly url: string
  readonly secret?: string
  readonly type?: string
  readonly message?: string | null
  readonly buttonCaption?: string | null
  readonly popupWidth?: string
  readonly popupHeight?: string
}

const Text = z.coerce.string()
const OptionalText = z.union([z.null(), Text]).optional()
const LockRecord = z
  .object({
    url: z.string().min(1),
    secret: z.string().optional(),
    type: z.string().optional(),
    message: OptionalText,
    button_caption: OptionalText,
    popup_width: Text.optional(),
    popup_height: Text.optional(),
  })
  .transform(
    (record): Lock => ({
      url: record.url,
      ...(record.secret === undefined ? {} : { secret: record.secret }),
      ...(record.type === undefined ? {} : { type: record.type }),
      ...(record.message === undefined ? {} : { message: record.message }),
      ...(record.button_caption === undefined ? {} : { buttonCaption: record.button_caption }),
      ...(record.popup_width === undefined ? {} : { popupWidth: record.popup_width }),
      ...(record.popup_height === undefined ? {} : { popupHeight: record.popup_height }),
    }),
  )
const LockAnswer = z.object({ hashlock: LockRecord }).transform(({ hashlock }) => hashlock)

/**
 * Sets the lock, replacing one that is there (specification: "Viewer authentication").
 * @returns whether it is known to be new: a video's answer does not tell.
 * @throws ServiceRefusal `invalid_type` for an address that the service does not take, `lack_of_ownership`,
 *   `not_found`.
 */
export async function setLock(
  api: RestApi,
  place: LockPlace,
  { url, secret }: LockSettings,
  signal?: AbortSignal,
): Promise<'new' | 'replaced' | 'set'> {
  const path = place.kind === 'channel' ? `${pathOf(place)}/advanced.json` : `${pathOf(place)}.json`
  const { status } = await api({ method: 'PUT', path, form: { url, secret }, signal })
  if (place.kind === 'video' && status === 204) return 'set'
  if (status === 201) return 'new'
  if (status === 204) return 'replaced'
  throw new UnexpectedAnswer(`The service answered with the unknown status ${status}. Check the lock with lock show`)
}

/**
 * Reads the lock of a channel or video. Returns null for a video without its own lock.
 * @throws RangeError for the format `xml` of a video: the service does not offer this.
 */
export async function readLock(
  api: RestApi,
  place: LockPlace,
  format: 'json' | 'xml' = 'json',
  signal?: AbortSignal,
): Promise<Lock | null> {
  if (format === 'xml' && place.kind === 'video') throw new RangeError('The lock of a video is available only in JSON')
  try {
    const accept = format === 'xml' ? 'application/xml' : 'application/json'
    const answer = await api({ method: 'GET', path: `${pathOf(place)}.${format}`, accept, signal })
    return format === 'xml' ? await readXmlLock(answer) : readJson(LockAnswer, answer, 'the lock')
  } catch (error) {
    // A video without a lock is `not_found` too. For a channel the same error means that there is no such channel.
    if (place.kind === 'video' && error instanceof ServiceRefusal && error.error === 'not_found') return null
    throw error
  }
}

/**
 * Removes the lock. A video then has the lock of its channel. @throws ServiceRefusal `not_found` if there is no lock.
 */
export async function removeLock(api: RestApi, place: LockPlace, signal?: AbortSignal): Promise<void> {
  await api({ method: 'DELETE', path: `${pathOf(place)}.json`, signal })
}

/** Reads an XML answer: root `hashlock`, empty elements for null. Only the five predefined entities are expanded. */
export async function readXmlLock({ body }: Pick<ServiceAnswer, 'body'>): Promise<Lock> {
  // Loaded only when needed, to save memory in all other commands.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser')
  if (/<!DOCTYPE/i.test(body) || XMLValidator.validate(body) !== true) {
    throw new UnexpectedAnswer('The service sent broken or incomplete XML instead of the lock')
  }
  const json: unknown = new XMLParser({ parseTagValue: false, ignoreDeclaration: true }).parse(body)
  const parsed = z.object({ hashlock: z.record(z.string(), z.unknown()) }).safeParse(json)
  const fields = parsed.success ? parsed.data.hashlock : {}
  const record = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === '' ? null : value]))
  const lock = LockRecord.safeParse(record)
  if (lock.success) return lock.data
  throw new UnexpectedAnswer('The service sent the lock in an unknown XML format. Unexpected or missing: hashlock, url')
}

function pathOf({ kind, id }: LockPlace): string {
  return `/${kind === 'channel' ? 'channels' : 'videos'}/${encodeURIComponent(id)}/locks/hash`
}
