import type { ViewerState } from './user-store.ts'

/**
 * Names the state of a viewer. A viewer without a password is `invited` while the link of the invitation works, then
 * `invitation-expired`, and `no-password` without an invitation.
 */
export function stateOf(
  { viewer, hasPassword, invitation }: ViewerState,
  nowSeconds: number,
): 'active' | 'disabled' | 'invited' | 'invitation-expired' | 'no-password' {
  if (viewer.disabled) return 'disabled'
  if (hasPassword) return 'active'
  if (invitation === null) return 'no-password'
  return invitation.expiresAtSeconds > nowSeconds ? 'invited' : 'invitation-expired'
}
