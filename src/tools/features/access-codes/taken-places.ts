import { readSharedStores } from '../../../config.ts'
import { type EntryPoint, isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { type Batch, codeKey } from '../../../features/access-codes/codes/code-records.ts'
import { placesKey } from '../../../services/places/place-keys.ts'
import type { PlaceStore } from '../../../stores/places/place-store.ts'
import { stores } from '../../../stores.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { now } from './open-codes.ts'

/**
 * Counts the places of shared codes that are taken at the player, by batch. Leaves out codes without a limit. Empty if only
 * the app knows the places, or their store does not answer.
 */
export async function takenPlaces(
  env: CommandIo['env'],
  entryPoint: EntryPoint,
  batches: readonly Batch[],
): Promise<ReadonlyMap<Batch, number>> {
  const taken = new Map<Batch, number>()
  const shared = batches.filter(({ isShared, most }) => isShared && most !== null)
  if (shared.length === 0) return taken
  const log = { info: () => {}, warn: () => {} }
  const places = await stores.places(readSharedStores(env), { nowSeconds: now, log })
  try {
    // Only places in memory have no store.
    if (places.optionalStores.length === 0) return taken
    for (const batch of shared) taken.set(batch, await takenOf(places, entryPoint, batch))
  } catch {
    taken.clear()
  } finally {
    places.close()
  }
  return taken
}

/** Counts by bisection: a look says if fewer places than a number are taken. */
async function takenOf(places: Pick<PlaceStore, 'claim'>, entryPoint: EntryPoint, batch: Batch): Promise<number> {
  const player = isHashEntryPoint(entryPoint) ? entryPoint.playerAddress : { url: '', origin: '' }
  const key = placesKey(entryPoint, player, ['code', codeKey(batch, 1)])
  const look = { place: '', how: 'look', nowSeconds: now(), endsAtSeconds: now() } as const
  let atLeast = 0
  for (let atMost = batch.most ?? 0; atLeast < atMost; ) {
    const most = Math.ceil((atLeast + atMost) / 2)
    if ((await places.claim(key, { ...look, most })) === 'none-free') atLeast = most
    else atMost = most - 1
  }
  return atLeast
}
