import { type Lock, type LockPlace, readLock } from '../../video-service/locks.ts'
import type { RestApi } from '../../video-service/rest-api.ts'
import { isRefusal } from './service.ts'

export function nameOf({ kind, id }: LockPlace): string {
  return `${kind} ${id}`
}

/**
 * Reads the lock before a change. Null also for an unknown channel, because the error is the same. Setting the lock
 * tells which it is.
 */
export async function ownLock(api: RestApi, place: LockPlace, signal?: AbortSignal): Promise<Lock | null> {
  try {
    return await readLock(api, place, 'json', signal)
  } catch (error) {
    if (isRefusal(error, 'not_found')) return null
    throw error
  }
}
