import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Services } from '../../login/feature.ts'
import type { SsoOrigin } from '../../sessions/session-store.ts'
import type { Viewer } from '../../users/user-store.ts'

/** A guest who may sign in, and where the guest comes from. */
export interface KnownGuest {
  readonly viewer: Viewer
  readonly origin: SsoOrigin
}

/** The guests of a feature, who may also sign in with a code by mail. */
export interface GuestSource {
  /** Null for an address that may not sign in. @throws UpstreamError if a store does not answer. */
  find(entryPoint: EntryPoint, address: string): Promise<KnownGuest | null>
}

declare module '../../login/feature.ts' {
  interface OpenFeature<T = unknown> {
    readonly guestSource?: GuestSource
  }
}

/** Returns the guest of an address by the first feature that knows one; null without one. */
export async function findKnownGuest(
  { opened }: Pick<Services, 'opened'>,
  entryPoint: EntryPoint,
  address: string,
): Promise<KnownGuest | null> {
  for (const { open } of opened) {
    const found = await open.guestSource?.find(entryPoint, address)
    if (found) return found
  }
  return null
}
