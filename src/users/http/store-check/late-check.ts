import type { CheckedViewers, StoreChecks, StoreFinding } from '../../store-check/store-check.ts'
import type { HttpStoreSettings } from '../settings.ts'

/** Loads the check when it is asked for. */
export async function* checkHttpStoreLate(
  settings: HttpStoreSettings,
  viewers: CheckedViewers,
  checks: StoreChecks,
): AsyncGenerator<StoreFinding> {
  const { checkHttpStore } = await import('./check.ts')
  yield* checkHttpStore(settings, viewers, checks)
}
