import type { StoreDeps } from '../store-kind.ts'
import type { PlaceStore } from './place-store.ts'

/** Opens places in a file beside a file of counts. The counts lock their own file while they write. */
export async function openPlacesBeside({ file }: { readonly file: string }, { log }: StoreDeps): Promise<PlaceStore> {
  const { openFilePlaces } = await import('./file-places.ts')
  return openFilePlaces(`${file.replace(/\.db$/, '')}-screens.db`, (message) => log.warn(message))
}
