import type { Lock, LockDisplay, LockSettings, LockTarget } from '../../video-service/locks.ts'
import { setLock } from '../../video-service/locks.ts'
import type { RestApi } from '../../video-service/rest-api.ts'
import { isRefusal } from './service.ts'

type Field = keyof LockDisplay

/** The fields of LockDisplay and their names for people. */
export const DISPLAY_FIELDS: readonly (readonly [Field, string])[] = [
  ['message', 'message'],
  ['buttonCaption', 'button caption'],
  ['popupWidth', 'popup width'],
  ['popupHeight', 'popup height'],
]

/** Returns the fields to send with a new lock: the given ones, else those that the present lock has. */
export function displayToSend(before: Lock | null, given: LockDisplay): LockDisplay {
  const chosen = DISPLAY_FIELDS.map(([field]) => [field, given[field] ?? (before?.[field] || null)])
  return Object.fromEntries(chosen.filter(([, value]) => value !== null))
}

/**
 * Sets a lock and sends its fields of LockDisplay along. The documentation shows these only in answers. If the service
 * refuses them, sets the lock without them.
 */
export async function setWithDisplay(
  api: RestApi,
  target: LockTarget,
  { url, secret, ...display }: LockSettings,
): ReturnType<typeof setLock> {
  try {
    return await setLock(api, target, { url, secret, ...display })
  } catch (error) {
    if (!isRefusal(error, 'invalid_request') || Object.keys(display).length === 0) throw error
    return await setLock(api, target, { url, secret })
  }
}

/** Names the sent fields that the service now shows with another value. */
export function lostFields(after: Lock, sent: LockDisplay): string[] {
  return DISPLAY_FIELDS.filter(([field]) => {
    const wanted = sent[field]
    const shown = after[field]
    if (wanted === undefined || wanted === null || shown === undefined) return false
    // Without a size, the service shows its default.
    if (field === 'popupWidth' || field === 'popupHeight') return wanted !== '' && sizeOf(wanted) !== sizeOf(shown)
    return wanted !== (shown ?? '')
  }).map(([, name]) => name)
}

/** The service may write 400 as 400px. */
function sizeOf(text: string | null): string | null {
  return text?.replace(/\s*px$/, '') ?? null
}
