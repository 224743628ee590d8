import type { PasswordChanges } from '../../../users/account/password-changes.ts'
import { newPasswordLink } from './addresses.ts'
import { newToken } from './tokens.ts'

export const RESET_MINUTES = 30

/** Creates a link to set another password, in place of an earlier one. Null for an unknown or disabled viewer. */
export async function createReset(
  passwordChanges: Pick<PasswordChanges, 'createLink'>,
  username: string,
  { publicUrl, basePath }: { readonly publicUrl: URL; readonly basePath: string },
  nowSeconds: number,
) {
  const { token, digest } = newToken()
  const expiresAtSeconds = Math.floor(nowSeconds) + RESET_MINUTES * 60
  const viewer = await passwordChanges.createLink(username, { purpose: 'reset', digest, expiresAtSeconds })
  return viewer && { viewer, link: newPasswordLink(publicUrl, basePath, token) }
}
