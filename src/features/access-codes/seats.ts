import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { ReturnAddress } from '../../hash-lock/return-address.ts'
import type { ClaimResult } from '../../stores/screen-limit/claim-place.ts'
import type { PlaceStore } from '../../stores/screen-limit/place-store.ts'
import { newPlace, placeOfSession, placesKey } from '../places/place-keys.ts'
import { codeKey, type KnownCode } from './codes/code-records.ts'

/** How many people or devices may use a code at the same time. */
export interface Seats {
  /** `isFull` if a sign-in gets no place: only a shared code is ever full. */
  isFull(): Promise<boolean>
  /**
   * Takes a place for a sign-in. A personal code takes it from the oldest device; a shared code only if one is free.
   * @returns null if none is free, else a function to call with the session, whose place it then is.
   */
  take(): Promise<((sessionId: string | null) => Promise<void>) | null>
  /** Keeps the place of a session, or takes a free one. Returns false if there is none. */
  keep(sessionId: string): Promise<boolean>
}

export interface SeatsDeps {
  readonly places: Pick<PlaceStore, 'claim'>
  readonly entryPoint: EntryPoint
  readonly placeSeconds: number
  readonly nowSeconds: () => number
}

/**
 * Returns the places of a code for one kind of address. A place lasts as long as a response, so a guest whose browser keeps
 * no cookie has a free place at each return. Null for a code without a limit.
 */
export function seatsOf(
  { places, entryPoint, placeSeconds, nowSeconds }: SeatsDeps,
  address: ReturnAddress,
  { batch, code }: KnownCode,
): Seats | null {
  const most = batch.isShared ? batch.most : batch.devices
  if (most === null) return null
  const key = placesKey(entryPoint, address, ['code', codeKey(batch, code.number)])
  type How = 'look' | 'if-free' | 'newest'
  /** A store that fails lets the viewer pass. The store logs its outage. */
  async function claim(how: How, place: string, replaces?: string): Promise<ClaimResult> {
    const now = Math.floor(nowSeconds())
    const times = { nowSeconds: now, endsAtSeconds: now + placeSeconds }
    return await places.claim(key, { place, replaces, how, most: most ?? 1, ...times }).catch(() => 'taken' as const)
  }
  return {
    isFull: async () => batch.isShared && (await claim('look', '')) === 'none-free',
    async take() {
      // The session is not known yet, and two browsers may want the last place.
      const place = newPlace()
      if (batch.isShared && (await claim('if-free', place)) === 'none-free') return null
      return async (sessionId) => {
        if (sessionId !== null || !batch.isShared) {
          await claim('newest', sessionId === null ? place : placeOfSession(sessionId), place)
        }
      }
    },
    keep: async (sessionId) => (await claim('if-free', placeOfSession(sessionId))) !== 'none-free',
  }
}
