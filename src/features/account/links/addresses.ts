/** The pages on which viewers set their passwords, below the base path of an entry point. */
export const ACCOUNT_PATHS = {
  forgot: '/account/forgot',
  newPassword: '/account/new-password',
  change: '/account/change-password',
} as const

/** The addresses for viewers who forgot their password, or must change it. Null without such a page. */
export interface PasswordAddresses {
  readonly forgot: string | null
  readonly change: string | null
}

/**
 * Decides where viewers reset and change their passwords: at FORGOT_PASSWORD_URL, or else on the pages of this app.
 * @param hasOwnPages true if this app serves the pages: SMTP_URL is set, and the viewers are in a store of this app.
 */
export function passwordAddresses(
  basePath: string,
  hasOwnPages: boolean,
  forgotPasswordUrl: string | null,
): PasswordAddresses {
  if (forgotPasswordUrl !== null || !hasOwnPages) return { forgot: forgotPasswordUrl, change: forgotPasswordUrl }
  return { forgot: `${basePath}${ACCOUNT_PATHS.forgot}`, change: `${basePath}${ACCOUNT_PATHS.change}` }
}

/** Returns the link by which a viewer sets a password. The link is a credential until its use: never log it. */
export function newPasswordLink(publicUrl: URL, basePath: string, token: string): string {
  return `${publicUrl.origin}${basePath}${ACCOUNT_PATHS.newPassword}?token=${token}`
}
