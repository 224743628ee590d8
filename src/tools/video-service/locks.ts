import { z } from 'zod'
import type { RestApi } from './rest-api.ts'
import { ServiceRefusal, UnexpectedAnswer } from './service-errors.ts'
import { givenFields } from './service-request.ts'
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

/** Reads the lock of a channel or video. Returns null for a video without its own lock. */
export async function readLock(api: RestApi, target: LockTarget, signal?: AbortSignal): Promise<Lock | null> {
  try {
    return readJson(LockAnswer, await api({ method: 'GET', path: `${pathOf(target)}.json`, signal }), 'the lock')
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

function pathOf({ kind, id }: LockTarget): string {
  return `/${kind === 'channel' ? 'channels' : 'videos'}/${encodeURIComponent(id)}/locks/hash`
}
