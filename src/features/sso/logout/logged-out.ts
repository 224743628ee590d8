import type { FlowStore } from '../../../services/window/flows/flow-store.ts'
import { type IdentityLogout, keysOfIdentity, keysOfLogout } from '../../../sessions/identity.ts'
import { LOGOUT } from '../flow-kinds.ts'

/**
 * Remembers a logout, for the sign-ins that are under way in any copy of the app.
 * @throws UpstreamError or OverloadedError as the store does.
 */
export async function rememberLogout(flows: FlowStore, logout: IdentityLogout, nowSeconds: number): Promise<void> {
  await Promise.all(keysOfLogout(logout).map((key) => flows.put(LOGOUT, key, { atSeconds: nowSeconds })))
}

/**
 * True if the provider has ended the viewer's session since the sign-in began. The sign-in may have got its code before.
 * @throws UpstreamError if the store does not answer.
 */
export async function isLoggedOut(
  flows: FlowStore,
  result: Parameters<typeof keysOfIdentity>[0] & { startedAtSeconds: number },
) {
  const keys = Object.values(keysOfIdentity(result))
  const logouts = await Promise.all(keys.map((key) => flows.read(LOGOUT, key)))
  return logouts.some((logout) => logout !== null && logout.atSeconds >= result.startedAtSeconds)
}
