import { z } from 'zod'
import type { RestApi } from './rest-api.ts'
import { ServiceRefusal, UnexpectedAnswer } from './service-errors.ts'
import { givenFields, type ServiceAnswer } from './service-request.ts'
import { readJson } from './transport.ts'

/** The channel or video of a lock. A video without its own lock has the lock of its channel. */
export interface LockTarget {
  readonly kind: 'channel' | 'video'
  readonly id: string
}

const OptionalText = z.union([z.null(), z.coerce.string()]).optional()
const LockRecord = z
  .object({
    url: z.string().min(1),
    secret: z.string().optional(),
    type: z.string().optional(),
    message: OptionalText,
    button_caption: OptionalText,
    popup_width: OptionalText,
    popup_height: OptionalText,
  })
  .transform(({ url, secret, type, message, ...record }) => {
    const { button_caption: buttonCaption, popup_width: popupWidth, popup_height: popupHeight } = record
    return { url, secret, type, message, buttonCaption, popupWidth, popupHeight }
  })

/** A lock as the service shows it. The lock of a channel does not show its secret. */
export type Lock = Pick<LockFields, 'url'> & Partial<Omit<LockFields, 'url'>>
type LockFields = Readonly<z.output<typeof LockRecord>>
/**
 * Fields that the documentation shows only when the lock of a channel is read, without their meaning. It does not say
 * how they are set, or what a new lock does to them.
 */
export type LockDisplay = Omit<Lock, 'url' | 'secret' | 'type'>
/** The values that set a lock: the address of the entry point, the shared secret, and the fields to send along. */
export type LockSettings = LockDisplay & { readonly url: string; readonly secret: string }

const LockAnswer = z.object({ hashlock: LockRecord }).transform(({ hashlock }) => hashlock)

/**
 * Sets the lock, replacing one that is there (specification: "Viewer authentication"). Sends the fields of LockDisplay
 * that are not null under their own names, because the service may otherwise remove them.
 * @returns whether it is known to be new: a video's answer does not tell.
 * @throws ServiceRefusal `invalid_type` for an address that the service does not take, `lack_of_ownership`,
 *   `not_found`.
 */
export async function setLock(
  api: RestApi,
  target: LockTarget,
  { url, secret, message, buttonCaption, popupWidth, popupHeight }: LockSettings,
  signal?: AbortSignal,
): Promise<'new' | 'replaced' | 'set'> {
  const path = target.kind === 'channel' ? `${pathOf(target)}/advanced.json` : `${pathOf(target)}.json`
  const display = { message, button_caption: buttonCaption, popup_width: popupWidth, popup_height: popupHeight }
  const form = { url, secret, ...givenFields(display) }
  const { status } = await api({ method: 'PUT', path, form, signal })
  if (target.kind === 'video' && status === 204) return 'set'
  if (status === 201) return 'new'
  if (status === 204) return 'replaced'
  throw new UnexpectedAnswer(`The service answered with the unknown status ${status}. Check the lock`)
}

/**
 * Reads the lock of a channel or video. Returns null for a video without its own lock.
 * @throws RangeError for the format `xml` of a video: the service does not offer this.
 */
export async function readLock(
  api: RestApi,
  target: LockTarget,
  format: 'json' | 'xml' = 'json',
  signal?: AbortSignal,
): Promise<Lock | null> {
  if (format === 'xml' && target.kind === 'video') throw new RangeError('The lock of a video is available only in JSON')
  try {
    const accept = format === 'xml' ? 'application/xml' : 'application/json'
    const answer = await api({ method: 'GET', path: `${pathOf(target)}.${format}`, accept, signal })
    return format === 'xml' ? await readXmlLock(answer) : readJson(LockAnswer, answer, 'the lock')
  } catch (error) {
    // A video without a lock is `not_found` too. For a channel the same error means that there is no such channel.
    if (target.kind === 'video' && error instanceof ServiceRefusal && error.error === 'not_found') return null
    throw error
  }
}

/**
 * Removes the lock. A video then has the lock of its channel. @throws ServiceRefusal `not_found` if there is no lock.
 */
export async function removeLock(api: RestApi, target: LockTarget, signal?: AbortSignal): Promise<void> {
  await api({ method: 'DELETE', path: `${pathOf(target)}.json`, signal })
}

/** Any entity that XML itself does not define. */
const FOREIGN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i
const CHARACTER_DATA = /<!\[CDATA\[.*?\]\]>/gs

/**
 * Reads an XML answer: root `hashlock`, empty elements for null. Refuses document types and entities, except the five
 * predefined ones and numbers of characters.
 */
export async function readXmlLock({ body }: Pick<ServiceAnswer, 'body'>): Promise<Lock> {
  // Loaded only when needed, to save memory in all other commands.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser')
  const isPlain = !/<!DOCTYPE/i.test(body) && !FOREIGN_ENTITY.test(body.replace(CHARACTER_DATA, ''))
  if (!isPlain || XMLValidator.validate(body) !== true) {
    throw new UnexpectedAnswer('The service sent broken or incomplete XML instead of the lock')
  }
  // This option also expands the numbers of characters.
  const json: unknown = new XMLParser({ htmlEntities: true, parseTagValue: false, ignoreDeclaration: true }).parse(body)
  const parsed = z.object({ hashlock: z.record(z.string(), z.unknown()) }).safeParse(json)
  const fields = parsed.success ? parsed.data.hashlock : {}
  const record = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === '' ? null : value]))
  const lock = LockRecord.safeParse(record)
  if (lock.success) return lock.data
  throw new UnexpectedAnswer('The service sent the lock in an unknown XML format. Unexpected or missing: hashlock, url')
}

function pathOf({ kind, id }: LockTarget): string {
  return `/${kind === 'channel' ? 'channels' : 'videos'}/${encodeURIComponent(id)}/locks/hash`
}
