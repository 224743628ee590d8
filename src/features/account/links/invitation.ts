import type { Language } from '../../../languages/languages.ts'
import type { PasswordChanges } from '../../../users/account/password-changes.ts'
import type { ViewerState } from '../../../users/user-store.ts'
import { newPasswordLink } from './addresses.ts'
import { newToken } from './tokens.ts'

/** The page that an invitation opens, and the contents of its mail. */
export interface InvitationContext {
  readonly publicUrl: URL
  readonly basePath: string
  /** The name of this app in the mail. */
  readonly service: string
  readonly language: Language
  readonly lifeDays: number
}

/** A new invitation. Its link is a credential until it is used. */
export type Invitation = NonNullable<Awaited<ReturnType<typeof createInvitation>>>

const DAY_SECONDS = 86_400

/**
 * Creates a link by which a viewer sets the first password.
 * @param replaces the earlier invitation as the caller saw it.
 * @returns null for an unknown or disabled viewer, and if another program has invited the viewer since.
 */
export async function createInvitation(
  passwordChanges: Pick<PasswordChanges, 'createLink'>,
  username: string,
  replaces: ViewerState['invitation'],
  { publicUrl, basePath, lifeDays }: InvitationContext,
  nowSeconds: number,
) {
  const { token, digest } = newToken()
  const expiresAtSeconds = Math.floor(nowSeconds) + lifeDays * DAY_SECONDS
  const viewer = await passwordChanges.createLink(username, {
    purpose: 'invitation',
    digest,
    expiresAtSeconds,
    replaces,
  })
  return viewer && { viewer, link: newPasswordLink(publicUrl, basePath, token), digest, expiresAtSeconds }
}
