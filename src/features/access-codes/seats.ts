import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { ReturnAddress } from '../../hash-lock/return-address.ts'
import { placeOfSession, placesKey } from '../../services/places/place-keys.ts'
import type { ClaimResult } from '../../stores/places/claim-place.ts'
import type { PlaceStore } from '../../stores/places/place-store.ts'
import { codeKey, type KnownCode } from './codes/code-records.ts'

export interface SeatsDeps {
  readonly places: Pick<PlaceStore, 'claim'>
  readonly entryPoint: EntryPoint
  readonly placeSeconds: number
  readonly nowSeconds: () => number
}

/**
 * Returns the places of a code for one kind of address: so many people or devices may use it at the same time. A place
 * lasts as long as a response, so a guest whose browser keeps no cookie has a free place at each return. Null for a code
 * without a limit.
 */
export function seatsOf(
  { places, entryPoint, placeSeconds, nowSeconds }: SeatsDeps,
  address: ReturnAddress,
  { batch, code }: KnownCode,
) {
  const most = batch.isShared ? batch.most : batch.devices
  if (most === null) return null
  const key = placesKey(entryPoint, address, ['code', codeKey(batch, code.number)])
  type How = 'look' | 'if-free' | 'newest'
  /** A store that fails lets the viewer pass. The store logs its outage. */
  function claim(how: How, place: string, replaces?: string, endsAtSeconds = Infinity): Promise<ClaimResult> {
    const now = Math.floor(nowSeconds())
    const times = { nowSeconds: now, endsAtSeconds: Math.min(now + placeSeconds, Math.ceil(endsAtSeconds)) }
    return places.claim(key, { place, replaces, how, most: most ?? 1, ...times }).catch(() => 'taken')
  }
  return {
    /** True if a sign-in gets no place, which only a shared code can refuse. @param place see `take`. */
    isFull: async (place: string, placeBefore?: string): Promise<boolean> =>
      batch.isShared && (await claim('look', place, placeBefore)) === 'none-free',
    /**
     * Takes a place for a sign-in. A personal code takes it from the oldest device; a shared code only if one is free.
     * @param place of the form.
     * @param placeBefore of this browser before the sign-in: a device that signs in again is not a new one.
     * @returns null if no place is free, else a function to call with the session, which then has the place, and the
     *   end of the answer: a place that outlived it would be missing at the next event.
     */
    async take(place: string, placeBefore?: string) {
      // The session is not known yet, and two browsers may want the last place.
      if (batch.isShared && (await claim('if-free', place, placeBefore)) === 'none-free') return null
      return async (sessionId: string | null, endsAtSeconds?: number) => {
        const own = sessionId === null ? place : placeOfSession(sessionId)
        await claim('newest', own, batch.isShared ? place : placeBefore, endsAtSeconds)
      }
    },
    /** Keeps the place of a session, or takes a free one. Returns as `take`. */
    async keep(sessionId: string) {
      const place = placeOfSession(sessionId)
      if ((await claim('if-free', place)) === 'none-free') return null
      return async (_session: string | null, endsAtSeconds = Infinity) => {
        if (endsAtSeconds < nowSeconds() + placeSeconds) await claim('if-free', place, undefined, endsAtSeconds)
      }
    },
  }
}
