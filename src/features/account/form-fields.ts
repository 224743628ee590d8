import { UNREADABLE_NAME, UNREADABLE_PASSWORD } from '../../login/request/sign-in-form.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { cleanName } from '../../typed-text.ts'
import type { PasswordFault } from '../../users/passwords/new-password.ts'
import { FEWEST_CHARACTERS, findPasswordFault, MOST_CHARACTERS } from '../../users/passwords/new-password.ts'

/** Returns a field of a form; an empty text for a missing or repeated field. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Reads the user name, as the sign-in form does. Null without a usable one. */
export function readUsername(body: Readonly<Record<string, unknown>>): string | null {
  const username = cleanName(textOf(body.username))
  return username === '' || UNREADABLE_NAME.test(username) ? null : username
}

/** Reads the current password, exactly as typed. Null without a usable one. */
export function readCurrentPassword(body: Readonly<Record<string, unknown>>): string | null {
  const password = textOf(body.password)
  return password === '' || UNREADABLE_PASSWORD.test(password) ? null : password
}

export type NewPasswordReading =
  | { readonly ok: true; readonly password: string }
  | { readonly ok: false; readonly refusal: Refusal }

/** Reads the new password, which is typed twice, and checks the rules for new passwords. */
export async function readNewPassword(
  body: Readonly<Record<string, unknown>>,
  username: string,
  contextWords: readonly string[],
): Promise<NewPasswordReading> {
  const refuse = (text: Refusal['text'], count = 0): NewPasswordReading => ({
    ok: false,
    refusal: { status: 400, text, values: { count } },
  })
  const password = textOf(body.newPassword)
  const repeated = textOf(body.repeatPassword)
  if (password === '' || repeated === '') return refuse('account.emptyPasswords')
  if (UNREADABLE_PASSWORD.test(password)) return refuse('account.unreadable')
  if (password !== repeated) return refuse('account.passwordsDiffer')
  const fault = await findPasswordFault(password, username, contextWords)
  if (fault === null) return { ok: true, password }
  const count = fault.reason === 'tooLong' ? MOST_CHARACTERS : FEWEST_CHARACTERS
  return refuse(`account.${TEXTS[fault.reason]}`, count)
}

const TEXTS = {
  unusable: 'unreadable',
  tooShort: 'tooShort',
  tooLong: 'tooLong',
  likeUsername: 'likeTheName',
  likeKnownWords: 'tooCommon',
  common: 'knownPassword',
  pattern: 'easyPattern',
} as const satisfies Record<PasswordFault['reason'], string>
